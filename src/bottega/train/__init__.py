"""Networks that learn the games by playing against themselves (extra `train`: PyTorch).

`bottega train GAME` does it. First PPO, on millions of decisions that the policy makes alone
(`ppo.py`); then expert iteration, on fewer that a search makes with the network's help
(`expert.py`). What comes out is a small file that the bots play by without PyTorch (`bots/net.py`).
"""
