"""Settings from file, environment and options together."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.config.keys import ALIASES, BY_NAME, KEYS, Key
from memconsole.config.load import config_path, load
from memconsole.config.show import describe, value_of
from memconsole.domain.settings import Settings
from memconsole.domain.settings.channels import ChannelSettings
from memconsole.domain.settings.headings import CategoryRule
from memconsole.domain.settings.kinds import Choice, Counts, Kind, Ratio, Span, Texts, Url, Whole
from memconsole.domain.settings.sections import (
    AlertSettings,
    BootstrapSettings,
    CaptureSettings,
    CheckpointSettings,
    CleanupSettings,
    ConfigCheckSettings,
    ConsolidateSettings,
    FleetSettings,
    FlushSettings,
    FreshnessSettings,
    HealthSettings,
    IndexMdSettings,
    LlmSettings,
    LogRotationSettings,
    LogSettings,
    MarkerSettings,
    McpSettings,
    MetricsSettings,
    ObserverSettings,
    RecoverySettings,
    ReflectorSettings,
    RotationSettings,
    SearchSettings,
    SummarySettings,
    UiSettings,
    WatcherSettings,
)
from memconsole.errors import ConfigError
from tests.config.config_whole import EVERYTHING

HOME = Path("/home/operator")


def settings(
    text: str | None = None,
    environ: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
    *,
    folder: Path | None = None,
) -> Settings:
    file = None
    if text is not None:
        assert folder is not None
        file = folder / "config.toml"
        file.write_text(text)
    return load({"HOME": str(HOME), **(environ or {})}, file=file, options=options or {})


def test_without_anything_the_defaults_of_the_specification_hold() -> None:
    found = settings()
    assert found == Settings(
        state_dir=HOME / ".local/state/memconsole",
        config_file=HOME / ".config/memconsole/config.toml",
    )
    assert found.rotation.threshold_tokens == 150_000
    assert found.rotation.window_ratio == 0.75
    assert found.rotation.interval == timedelta(minutes=30)
    assert found.checkpoint.interval == timedelta(minutes=20)
    assert found.checkpoint.stale_after == timedelta(hours=4)
    assert (found.checkpoint.min_bytes, found.checkpoint.min_messages) == (1024, 3)
    assert found.checkpoint.tail_messages == 60
    assert found.checkpoint.dedup_window == timedelta(minutes=15)
    assert found.redact


ROTATION = RotationSettings(
    threshold_tokens=120_000,
    window_ratio=0.5,
    overhead_tokens=0,
    skip_patterns=("agent:main:telegram:*",),
    max_per_run=2,
    require_capture=False,
    force_active=True,
    min_interval=timedelta(hours=1),
    interval=timedelta(minutes=10),
    keys={"agent:main:main": 90_000},
    models={"anthropic/*": 120_000},
)
CHECKPOINT = CheckpointSettings(
    interval=timedelta(minutes=5),
    stale_after=timedelta(days=1),
    min_bytes=0,
    min_messages=1,
    tail_messages=30,
    dedup_window=timedelta(),
)
UI = UiSettings(
    theme="nord",
    mono=True,
    ascii=True,
    mouse=False,
    interval=timedelta(seconds=5),
    read_only=True,
    color="never",
    json=True,
)

CLEANUP = CleanupSettings(True, 3, 60, 400, timedelta(days=2), 9000)
FLEET = FleetSettings(
    ("~/.openclaw", "/srv/b/.openclaw", "ssh://ops@alpha"),
    timedelta(minutes=2),
    "postgresql://fleet_alpha@db.example/fleet",
    "figures",
    timedelta(minutes=1),
    ("private",),
    True,
    {"prod": ("alpha",)},
    allow=("checkpoint", "rotate"),
    operators=(f"ann ed25519:{'A' * 43}= checkpoint,rotate",),
    within=timedelta(minutes=20),
)
SEARCH = SearchSettings(
    provider="none",
    model="tiny",
    base_url="http://127.0.0.1:8080/v1",
    api_key_env="EMBEDDING_KEY",
    dimensions=512,
    sessions=True,
    extra_paths=("/notes",),
    max_results=9,
    min_score=0.5,
    vector_weight=0.6,
    text_weight=0.4,
    chunk_tokens=300,
    chunk_overlap=60,
    half_life=timedelta(days=180),
    mmr=0.7,
    debounce=timedelta(seconds=3),
    sync_mb=8,
    sync=False,
)


OBSERVER = ObserverSettings(
    interval=timedelta(minutes=10),
    lookback=timedelta(minutes=20),
    morning_lookback=timedelta(hours=4),
    flush_lookback=timedelta(hours=1),
    recover_lookback=timedelta(hours=8),
    min_lines=3,
    max_items=5,
    min_score=2.0,
)

HEALTH = HealthSettings(
    timedelta(minutes=1),
    "gate",
    80,
    95,
    900,
    90,
    5,
    timedelta(minutes=20),
    timedelta(hours=1),
    False,
    "22:00-07:00",
)
METRICS = MetricsSettings(
    Path("/var/lib/node_exporter/memconsole.prom"), 9123, timedelta(minutes=5)
)
CHANNELS = (
    ChannelSettings("webhook", "webhook", url="https://hooks.example/fake-hook"),
    ChannelSettings("command", "bell", command=("/bin/ring", "-l")),
    ChannelSettings("apprise", "apprise", url="${TELEGRAM}"),
)


LLM = LlmSettings(
    "openai-compatible",
    "http://127.0.0.1:8081/v1",
    "MODEL_KEY",
    "small",
    "other",
    timedelta(seconds=30),
    1000,
)


INDEX_MD = IndexMdSettings(
    1024,
    1500,
    ("old",),
    ("inventory-",),
    (CategoryRule("Customers", "🗂️", ("customer-*",)),),
    timedelta(hours=3),
)


def test_every_key_can_be_set_in_the_file(tmp_path: Path) -> None:
    sources = (found := settings(EVERYTHING, folder=tmp_path)).sources
    assert found == Settings(
        state_dir=tmp_path / "state",
        config_file=tmp_path / "config.toml",
        home=HOME / ".clawdbot",
        timezone="Asia/Tokyo",
        transport="ws",
        gateway_url="wss://gateway.example:18789",
        gateway_token="fake-token",
        gateway_timeout=timedelta(seconds=20),
        min_compaction_ms=50,
        max_backups=3,
        uses_program=True,
        redact=False,
        rotation=ROTATION,
        checkpoint=CHECKPOINT,
        observer=OBSERVER,
        summary=SummarySettings(tail_messages=40, min_chars=10, max_per_tag=2),
        reflector=ReflectorSettings(4000, timedelta(hours=1), 95, 3),
        consolidate=ConsolidateSettings(True, 8000, True, True),
        index_md=INDEX_MD,
        capture=CaptureSettings(True),
        mcp=McpSettings(True),
        markers=MarkerSettings(("RISK",)),
        bootstrap=BootstrapSettings(10_000, 30_000, timedelta(hours=2), True),
        llm=LLM,
        watcher=WatcherSettings(False, 20, timedelta(minutes=1)),
        health=HEALTH,
        alerts=AlertSettings(CHANNELS, tmp_path / "secrets.env", "C1", "fake-slack"),
        recovery=RecoverySettings(False),
        config_check=ConfigCheckSettings(timedelta(hours=12)),
        log_rotation=LogRotationSettings(timedelta(hours=2), 4096, 5, ("/srv/*.log",)),
        cleanup=CLEANUP,
        metrics=METRICS,
        fleet=FLEET,
        flush=FlushSettings(timedelta(minutes=5), 0.75, 30_000, 8_000),
        freshness=FreshnessSettings(timedelta(minutes=20), "none"),
        search=SEARCH,
        ui=UI,
        log=LogSettings(level="debug", file=Path("/var/log/memconsole.log")),
        sources=sources,
    )
    assert set(sources) == set(BY_NAME)
    assert sources["timezone"] == f"{tmp_path}/config.toml, line 1"
    assert sources["rotation.keys"] == f"{tmp_path}/config.toml, line 16"
    assert not {"fake-token", "fake-hook", "fake-slack"} & set(re.findall(r"fake-\w+", repr(found)))


def test_file_then_environment_then_options(tmp_path: Path) -> None:
    text = "[rotation]\nthreshold_tokens = 1\nwindow_ratio = 0.1\noverhead_tokens = 1\n"
    found = settings(
        text,
        {
            "MEMCONSOLE_ROTATION__WINDOW_RATIO": "0.2",
            "MEMCONSOLE_ROTATION__OVERHEAD_TOKENS": "2",
        },
        {"rotation.overhead_tokens": "3"},
        folder=tmp_path,
    )
    rotation = found.rotation
    assert (rotation.threshold_tokens, rotation.window_ratio) == (1, 0.2)
    assert rotation.overhead_tokens == 3
    assert found.sources == {
        "rotation.threshold_tokens": f"{tmp_path}/config.toml, line 2",
        "rotation.window_ratio": "environment MEMCONSOLE_ROTATION__WINDOW_RATIO",
        "rotation.overhead_tokens": "option rotation.overhead_tokens",
    }


def test_one_agent_may_differ(tmp_path: Path) -> None:
    text = """
    [rotation]
    threshold_tokens = 100
    overhead_tokens = 7
    [agents.Work.rotation]
    threshold_tokens = 50
    [agents.work.checkpoint]
    stale_after = "8h"
    """
    environ = {"MEMCONSOLE_AGENTS__MAIN__CHECKPOINT__MIN_MESSAGES": "9"}
    found = settings(text, environ, folder=tmp_path)
    work = found.for_agent("work")
    assert work.rotation == RotationSettings(threshold_tokens=50, overhead_tokens=7)
    assert work.checkpoint == CheckpointSettings(stale_after=timedelta(hours=8))
    assert found.for_agent("main").checkpoint.min_messages == 9
    assert found.for_agent("other") is found
    assert set(found.sources) == {
        "rotation.threshold_tokens",
        "rotation.overhead_tokens",
        "agents.work.rotation.threshold_tokens",
        "agents.work.checkpoint.stale_after",
        "agents.main.checkpoint.min_messages",
    }


def test_variables_that_are_not_ours_are_left_alone() -> None:
    environ = {
        "MEMCONSOLE_NOW": "x",
        "MEMCONSOLE_BENCH_RUNS": "x",
        "MEMCONSOLE_UI__MONO": "",
        "SOMEBODYS_SIZE_THRESHOLD": "x",
    }
    assert settings(environ=environ) == settings()


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("ROTATION_THRESHOLD", "120000", "rotation.threshold_tokens", 120_000),
        ("DREAM_TOKEN_TARGET", "8000", "consolidate.token_target", 8_000),
        ("OBSERVER_LOOKBACK_MIN", "20", "observer.lookback", timedelta(minutes=20)),
        ("SESSION_STALE_HOURS", "1.5", "checkpoint.stale_after", timedelta(minutes=90)),
        ("NO_COLOR", "0", "ui.mono", True),
        ("MEMCONSOLE_HOME", "~/.openclaw", "home", HOME / ".openclaw"),
        ("MEMCONSOLE_GATEWAY", "ws://h:1", "gateway_url", "ws://h:1"),
        ("MEMCONSOLE_TRANSPORT", "none", "transport", "none"),
        ("MEMCONSOLE_READ_ONLY", "1", "ui.read_only", True),
        ("MEMCONSOLE_JSON", "yes", "ui.json", True),
        ("MEMCONSOLE_COLOR", "always", "ui.color", "always"),
        ("MEMCONSOLE_MONO", "on", "ui.mono", True),
        ("MEMCONSOLE_ASCII", "true", "ui.ascii", True),
        ("MEMCONSOLE_NO_MOUSE", "1", "ui.mouse", False),
        ("MEMCONSOLE_NO_MOUSE", "0", "ui.mouse", True),
        ("MEMCONSOLE_VERBOSE", "1", "log.level", "info"),
        ("MEMCONSOLE_VERBOSE", "debug", "log.level", "debug"),
        ("MEMCONSOLE_LOG_FILE", "/tmp/x.log", "log.file", Path("/tmp/x.log")),
        ("MEMCONSOLE_TIMEZONE", "UTC", "timezone", "UTC"),
        ("MEMCONSOLE_GATEWAY__TOKEN", "fake", "gateway_token", "fake"),
        ("MEMCONSOLE_REDACT__ENABLED", "false", "redact", False),
        ("MEMCONSOLE_PLATFORM__HOME", "/x", "home", Path("/x")),
        ("MEMCONSOLE_ROTATION__SKIP_PATTERNS", "a,b", "rotation.skip_patterns", ("a", "b")),
        ("MEMCONSOLE_ROTATION__KEYS", '{ "a:b" = 5 }', "rotation.keys", {"a:b": 5}),
    ],
)
def test_other_names_of_a_key(name: str, text: str, key: str, value: object) -> None:
    found: object = settings(environ={name: text})
    for part in key.split("."):
        found = getattr(found, part)
    assert found == value


def test_the_long_name_wins_over_a_short_one_and_that_over_an_older_one() -> None:
    environ = {"NO_COLOR": "1", "MEMCONSOLE_MONO": "0"}
    assert not settings(environ=environ).ui.mono
    assert settings(environ={**environ, "MEMCONSOLE_UI__MONO": "1"}).ui.mono


def test_where_the_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = {"HOME": str(HOME)}
    usual = HOME / ".config/memconsole/config.toml"
    assert config_path(home) == usual
    assert config_path({**home, "XDG_CONFIG_HOME": "relative"}) == usual
    assert config_path({**home, "XDG_CONFIG_HOME": "/xdg"}) == Path("/xdg/memconsole/config.toml")
    assert config_path({**home, "MEMCONSOLE_CONFIG": "~/a.toml"}) == HOME / "a.toml"
    assert config_path({**home, "MEMCONSOLE_CONFIG": "a.toml"}) == tmp_path / "a.toml"
    assert config_path({"MEMCONSOLE_CONFIG": "/a"}, Path("b.toml")) == tmp_path / "b.toml"
    with pytest.raises(ConfigError, match="names a user"):
        config_path(home, Path("~nobody-knows-me/a.toml"))


def test_paths_start_from_the_file_else_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    found = settings(
        "platform.home = 'h'\nlog.file = '~'",
        {"MEMCONSOLE_STATE__DIR": "s"},
        {"log.file": "../l.log"},
        folder=tmp_path / "etc",
    )
    assert found.home == tmp_path / "etc/h"
    assert found.state_dir == tmp_path / "cwd/s"
    assert found.log.file == tmp_path / "cwd/../l.log"


def test_state_lies_where_the_system_says() -> None:
    assert settings(environ={"XDG_STATE_HOME": "/xdg"}).state_dir == Path("/xdg/memconsole")


def test_the_table_names_real_fields_and_fitting_kinds() -> None:
    usual = settings()
    for key in KEYS:
        part, field = key.place
        value = getattr(getattr(usual, part) if part else usual, field)
        if value not in (None, "") and not isinstance(value, Path | timedelta):
            raw = list(value) if isinstance(value, tuple) else value
            assert key.kind.parse(raw) == value
        assert not key.setting.help.endswith(".")
    assert len(BY_NAME) == len(KEYS)
    assert {alias.key for alias in ALIASES} <= set(BY_NAME)


OF_ALL = frozenset(
    {"gateway", "compaction", "config", "platform", "state", "redact", "ui", "log", "alerts", "llm"}
    | {"config_check", "log_rotation", "cleanup", "metrics", "markers", "timezone", "fleet"}
)
"""Sections about the host, the platform or people: no agent has its own."""


EXAMPLES: tuple[tuple[type[Kind], str], ...] = (
    *((Span, '"77m"'), (Ratio, "0.51"), (Texts, '["own"]'), (Counts, "{ own = 5 }")),
    *((Url, '"http://127.0.0.1:7"'), (Kind, '"own"')),
)


def another(key: Key) -> str:
    """Return a TOML value that is not the default of a key."""
    usual = value_of(Settings(state_dir=Path()), key)
    if isinstance(usual, bool):
        return str(not usual).lower()
    if isinstance(key.kind, Whole) and isinstance(usual, int):
        return str(usual + 1 if usual < key.kind.most else usual - 1)
    if isinstance(key.kind, Choice):
        return f'"{next(one for one in key.kind.words if one != usual)}"'
    return next(value for kind, value in EXAMPLES if isinstance(key.kind, kind))


def test_every_section_of_an_agents_behaviour_may_differ_and_no_other() -> None:
    found = {key.path[0] for key in KEYS if key.is_per_agent}
    assert found | OF_ALL >= {key.path[0] for key in KEYS} - {"health", "quality", "secrets"}
    assert found & OF_ALL == set()
    assert {"rotation", "recovery", "watcher", "health", "search", "mcp"} <= found


@pytest.mark.parametrize("key", [one for one in KEYS if one.is_per_agent], ids=lambda one: one.name)
def test_what_one_agent_has_is_shown_with_its_source_and_no_other_has_it(
    key: Key, tmp_path: Path
) -> None:
    *section, name = key.path
    text = f"[agents.work.{'.'.join(section)}]\n{name} = {another(key)}\n"
    found = settings(text, folder=tmp_path)
    assert value_of(found.for_agent("work"), key) != value_of(found, key)
    assert value_of(found.for_agent("main"), key) == value_of(settings(), key)
    rows = {row.key: row for row in describe(found)}
    assert rows[f"agents.work.{key.name}"].source == f"{tmp_path}/config.toml, line 2"
    assert rows[key.name].source == "default"


@pytest.mark.parametrize(
    "source",
    ['url = "ssh://-oProxyCommand=id"', 'url = "ssh://a b"', 'homes = ["openclaw"]', "homes = 3"],
)
def test_a_source_of_the_fleet_that_is_no_path_and_no_address_is_refused(
    source: str, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[[fleet.source]]\n{source}\n")
    with pytest.raises(ConfigError, match=r"fleet\.source"):
        _ = load({}, file=file).fleet.timeout
