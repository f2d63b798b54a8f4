"""Several agents in one workspace."""

from __future__ import annotations

from memconsole.domain.agents import AgentRef
from memconsole.domain.commands.checkpoint import Checkpoint
from tests.doubles.platform import HOME, fake_agent
from tests.engine.checkpoint.checkpoint_stage import (
    DAY,
    TEXTS,
    Stage,
    done,
)
from tests.engine.rows import row


class TestSharedWorkspace:
    """Several agents in one folder."""

    SHARED = HOME / "shared"

    def stage(self) -> Stage:
        agents = (
            fake_agent("main", workspace=self.SHARED),
            fake_agent("work", workspace=self.SHARED),
            fake_agent("alone"),
        )
        stage = Stage(*agents)
        for agent_id in ("work", "alone"):
            stage.hold(row(f"agent:{agent_id}:dashboard:{agent_id}", 77))
            stage.say(f"id-{agent_id}", *(f"{agent_id}: {text}" for text in TEXTS))
        return stage

    def test_the_context_shows_all_agents_that_were_saved(self) -> None:
        stage = self.stage()
        done(stage.run())
        assert (stage.text(root=self.SHARED) or "").startswith(
            "# Active Context\n\n## Agent main\n> Updated: "
        )
        stage.later(minutes=1)
        done(stage.run(Checkpoint(AgentRef(str(HOME), "work"))))
        text = stage.text(root=self.SHARED) or ""
        headings = [line for line in text.splitlines() if line.startswith("#")]
        assert headings == [
            "# Active Context",
            "## Agent main",
            "### Recent Requests",
            "### Recent Work",
            "### Files Referenced",
            "## Agent work",
            "### Recent Requests",
            "### Recent Work",
            "### Files Referenced",
        ]
        assert "please migrate src/app.py" in text
        assert "work: and the docs too" in text

    def test_every_daily_entry_names_its_agent(self) -> None:
        stage = self.stage()
        stage.run()
        stage.run(Checkpoint(AgentRef(str(HOME), "work")))
        day = stage.text(DAY, self.SHARED) or ""
        assert day.startswith("# main — 2026-01-26\n\n### Checkpoint 13:20 (auto)")
        assert "- Session: `id-main` (main) — " in day
        assert "- Session: `id-work` (work) — " in day

    def test_news_of_one_agent_leave_the_others_block(self) -> None:
        stage = self.stage()
        work = Checkpoint(AgentRef(str(HOME), "work"))
        stage.run()
        stage.run(work)
        stage.later(minutes=30)
        stage.say("id-work", "a wholly new request", "a wholly new answer", "and one more")
        done(stage.run(work))
        text = stage.text(root=self.SHARED) or ""
        assert text.count("> Updated: 2026-01-26T13:20") == 1
        assert text.count("> Updated: 2026-01-26T13:50") == 1
        assert text.index("## Agent main") < text.index("## Agent work")

    def test_one_agent_alone_has_the_plain_shape(self) -> None:
        stage = self.stage()
        done(stage.run(Checkpoint(AgentRef(str(HOME), "alone"))))
        text = stage.text(root=HOME / "workspace-alone") or ""
        assert text.startswith("# Active Context — alone\n")

    def test_a_block_from_another_workspace_is_not_shown(self) -> None:
        stage = self.stage()
        elsewhere = fake_agent("work", workspace=HOME / "other")
        stage.world.platform.agents = (stage.world.platform.agents[0], elsewhere)
        stage.run(Checkpoint(AgentRef(str(HOME), "work")))
        shared = fake_agent("work", workspace=self.SHARED)
        stage.world.platform.agents = (stage.world.platform.agents[0], shared)
        done(stage.run())
        assert "## Agent work" not in (stage.text(root=self.SHARED) or "")
