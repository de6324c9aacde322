from fastapi import APIRouter

DESCRIPTION = ""
router = APIRouter(prefix="/api/v1")
