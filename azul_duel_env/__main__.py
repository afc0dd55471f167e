"""``python -m azul_duel_env`` is the command ``azul-duel``."""

from azul_duel_env.cli import main

if __name__ == "__main__":  # processes that play games import this module too
    main()
