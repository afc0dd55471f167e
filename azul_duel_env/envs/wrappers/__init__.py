"""Wrappers: which sub-decisions are asked, rewards, and observations in other forms. Users find them in ``azul_duel_env.wrappers``."""
