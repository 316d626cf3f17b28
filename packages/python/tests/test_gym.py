"""The environment, by Gymnasium's own checks and as a learner uses it."""

import threading
import unittest
import warnings

import gymnasium
import pyarrow
from gymnasium.utils.env_checker import check_env

import tiebreak
from tiebreak.gym import Environment

FEW = {"workload.days": 0.2}


def placed(result):
    vms = pyarrow.table(result.placements)
    return vms.select(["vm", "machine"]).to_pylist()


class Steps(unittest.TestCase):
    def play(self, environment, policy, seed=1):
        (seen, info), rewards, over = environment.reset(seed=seed), [], False
        while not over:
            seen, reward, over, _, info = environment.step(policy(seen, info))
            rewards.append(reward)
        return info["result"], rewards

    def test_gymnasium_finds_nothing_wrong(self):
        environment = Environment("small", set=FEW)
        self.assertIsInstance(environment, gymnasium.Env)
        with warnings.catch_warnings():
            # Features have no bounds, and there is nothing to draw.
            warnings.simplefilter("ignore")
            check_env(environment, skip_render_check=True)
        environment.close()

    def test_an_episode_is_a_run(self):
        environment = Environment("small", set=FEW, most=1_000)
        result, rewards = self.play(environment, lambda seen, info: info["decision"].drawn)
        plain = tiebreak.run("small", set={**FEW, "seed": 1})
        self.assertEqual(result.digest, plain.digest)
        self.assertEqual(rewards[-1], plain.figures["empty_hosts_pct_mean"])
        self.assertEqual(set(rewards[:-1]), {0.0})

    def test_a_policy_of_features_and_a_reward_for_each_step(self):
        features = ["machine.cores_free", "machine.number"]

        def fullest(seen, info):
            rows = range(int(seen["mask"].sum()))
            return min(rows, key=lambda row: seen["features"][row][0])

        def reward(decision, place):
            return -decision.values[place][0]

        environment = Environment("small", set=FEW, features=features, most=4, reward=reward)
        result, rewards = self.play(environment, fullest)
        again, same = self.play(environment, fullest)
        self.assertEqual((result.digest, rewards), (again.digest, same))
        other, _ = self.play(environment, fullest, seed=2)
        self.assertNotEqual(placed(other), placed(result))
        self.assertTrue(all(reward <= 0 for reward in rewards))

    def test_episodes_end_when_another_begins(self):
        environment = Environment("small", set=FEW)
        for _ in range(5):
            environment.reset(seed=3)
            environment.step(0)
        environment.close()
        self.assertNotIn("tiebreak episode", [thread.name for thread in threading.enumerate()])

    def test_bad_calls_are_told(self):
        environment = Environment("small", set=FEW)
        with self.assertRaisesRegex(ValueError, "call reset first"):
            environment.step(0)
        environment.reset(seed=1)
        with self.assertRaisesRegex(ValueError, "action: expected a whole number from 0 to"):
            environment.step(10**6)
        environment.close()
        for wrong in ({"most": 0}, {"features": []}, {"features": [1]}, {"reward": 3}):
            with self.assertRaises(ValueError):
                Environment("small", **wrong)
        with self.assertRaisesRegex(ValueError, "unknown|expected"):
            Environment("no such preset").reset()
        failing = Environment("small", set=FEW)
        failing.reset(seed=1)
        failing._decision = failing._decision._replace(machines=range(10**6), drawn=10**6 - 1)
        with self.assertRaisesRegex(ValueError, "choose: expected a whole number"):
            failing.step(15)
        with self.assertRaisesRegex(ValueError, "call reset first"):
            failing.step(0)
        failing.close()
        unknown = Environment("small", set=FEW, reward="happiness")
        with self.assertRaisesRegex(ValueError, "reward: expected a figure"):
            self.play(unknown, lambda seen, info: 0)


if __name__ == "__main__":
    unittest.main()
