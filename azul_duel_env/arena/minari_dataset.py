"""Games as a Minari dataset, for offline reinforcement learning: an episode for each seat of each game.

An episode has the decisions of one seat: its observations, float32, one more than actions, the last of the end; actions of the table;
rewards, 0 until the last, which is what the end is worth for the seat (``Game.returns``); the last is terminated. ``infos`` has
``action_mask``, int8, one for each observation, all 0 at the end. The metadata of an episode have the number and seed of its game, the
seat and the agent's spec; those of the dataset, under ``azul_duel_env``, the settings as in ``dataset``. Minari keeps it as Arrow files.

``minari.load_dataset("NAME-v0")`` reads ``FOLDER/NAME-v0`` with ``MINARI_DATASETS_PATH=FOLDER``. Writing needs the extra ``dataset``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from azul_duel_env.arena.dataset import Trajectory, check_settings, masks_of
from azul_duel_env.game import Game

KEY = "azul_duel_env"
DATA = "data"
"""The folder in that of a dataset where Minari looks for it."""


class MinariWriter:
    """Writes games as episodes; those that are there count as done.

    Args:
        folder: it exists; its name is that of the dataset, with a version, as ``greedy-games-v0``.
        game: the game.
        settings: of the plan.

    Raises:
        ValueError: a name without a version, or games of other settings, or none of ours.

    Attributes:
        done: how many games are there.
    """

    def __init__(self, folder: Path, game: Game, settings: Mapping[str, Any]) -> None:
        import minari
        from minari.dataset.minari_storage import METADATA_FILE_NAME, MinariStorage

        folder = folder.resolve()  # Arrow takes a relative path twice
        name, dash, version = folder.name.rpartition("-v")
        if not (name and dash and version.isdecimal()):
            raise ValueError(f"a Minari dataset is called NAME-v0, with the number of its version, not {folder.name}")
        self._game, self._settings = game, dict(settings)
        self.done = self._episodes = self._steps = 0
        data = folder / DATA
        if (data / METADATA_FILE_NAME).exists():
            self._storage = MinariStorage.read(data)
            self._go_on(folder)
            return
        observations = Box(0.0, 1.0, (game.observation_size,), np.float32)
        self._storage = MinariStorage.new(data, observations, Discrete(game.num_actions), data_format="arrow")
        self._storage.update_metadata(
            {
                "dataset_id": folder.name,
                "minari_version": minari.__version__,
                "requirements": ["azul_duel_env"],
            }
        )
        self.flush()

    def _go_on(self, folder: Path) -> None:
        """Take up what is there."""
        kept = self._storage.metadata.get(KEY)
        if kept is None:
            raise ValueError(f"{folder} holds a Minari dataset of something else: choose another folder")
        check_settings(folder, kept["settings"], self._settings)
        self.done, self._episodes, self._steps = kept["games"], kept["episodes"], kept["steps"]

    def add(self, trajectory: Trajectory) -> None:
        """Write the episodes of a game."""
        for player in range(self._game.num_players):
            mine = np.flatnonzero(trajectory.players == player)
            if len(mine):
                self._write(trajectory, player, mine)
        self.done = trajectory.number + 1
        self.flush()

    def _write(self, trajectory: Trajectory, player: int, mine: Any) -> None:
        """Write the episode of one seat, in the place of what an interrupted run may have left there."""
        from minari.data_collector.episode_buffer import EpisodeBuffer

        states = trajectory.states[[*mine, -1]]
        last = np.arange(len(mine)) == len(mine) - 1
        episode = EpisodeBuffer(
            id=self._episodes,
            seed=trajectory.result.seed,
            observations=self._game.observations(states, player, check=False),
            actions=np.array(trajectory.result.actions, np.int64)[mine],
            rewards=list(np.where(last, trajectory.returns[player], 0.0)),
            terminations=list(last),
            truncations=[False] * len(mine),
            infos={"action_mask": masks_of(self._game, states)},
        )
        self._storage.update_episodes([episode])
        facts = {"game": trajectory.number, "player": player, "agent": trajectory.result.agents[player]}
        self._storage.update_episode_metadata([facts], [self._episodes])
        self._episodes += 1
        self._steps += len(mine)

    def flush(self) -> None:
        """Note how much is there."""
        counts = {"games": self.done, "episodes": self._episodes, "steps": self._steps}
        self._storage.update_metadata(
            {"total_episodes": self._episodes, "total_steps": self._steps, KEY: {"settings": self._settings, **counts}}
        )
