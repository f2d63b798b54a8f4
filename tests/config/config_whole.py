"""A configuration file in which every key is set, to something else than its default."""

EVERYTHING = """\
timezone = "Asia/Tokyo"
platform.home = "~/.clawdbot"
state.dir = "state"
redact.enabled = false
consolidate = {enabled = true, token_target = 8000, with_platform = true, search_log = true}
[gateway]
url = "wss://gateway.example:18789"
transport = "ws"
token = "fake-token"
timeout = "20s"
[rotation]
threshold_tokens = 120_000
window_ratio = 0.5
overhead_tokens = 0
skip_patterns = ["agent:main:telegram:*"]
keys = { "agent:main:main" = 90_000 }
models = { "anthropic/*" = 120_000 }
min_interval = "1h"
require_capture = false
force_active = true
max_per_run = 2
interval = "10m"
[flush]
interval = "5m"
ratio = 0.75
reserve_tokens_floor = 30_000
soft_threshold_tokens = 8_000
[freshness]
precapture = "20m"
assume = "none"
[checkpoint]
interval = "5m"
stale_after = "1d"
min_bytes = 0
min_messages = 1
tail_lines = 30
dedup_window = "0s"
[observer]
interval = "10m"
lookback = "20m"
morning_lookback = "4h"
flush_lookback = "1h"
recover_lookback = "8h"
min_lines = 3
max_items = 5
min_score = 2
[summary]
tail_lines = 40
min_chars = 10
max_per_tag = 2
[reflector]
word_threshold = 4000
min_interval = "1h"
similarity = 95
max_backups = 3
[ui]
theme = "nord"
color = "never"
mono = true
ascii = true
mouse = false
interval = "5s"
read_only = true
json = true
[log]
level = "debug"
file = "/var/log/memconsole.log"

[search]
provider = "none"
model = "tiny"
base_url = "http://127.0.0.1:8080/v1"
api_key_env = "EMBEDDING_KEY"
dimensions = 512
sessions = true
extra_paths = ["/notes"]
max_results = 9
min_score = 0.5
vector_weight = 0.6
text_weight = 0.4
chunk_tokens = 300
chunk_overlap = 60
half_life = "180d"
mmr = 0.7
debounce = "3s"
sync_mb = 8
sync = false
[index_md]
min_pool_bytes = 1024
max_tokens = 1500
exclude = ["old"]
domain_prefixes = ["inventory-"]
category = [{ name = "Customers", patterns = ["customer-*"] }]
interval = "3h"
[mcp]
allow_notes = true

[capture]
groups = true
[markers]
extra = ["RISK"]
[watcher]
enabled = false
line_threshold = 20
cooldown = "1m"
[health]
interval = "1m"
process_pattern = "gate"
disk_percent = 80
disk_critical_percent = 95
transcripts_mb = 900
memory_file_kb = 90
cron_errors = 5
stuck_after = "20m"
alert_cooldown = "1h"
notify_recovery = false
quiet_hours = "22:00-07:00"
[alerts]
secrets_file = "secrets.env"
slack_channel = "C1"
slack_token = "fake-slack"
[[alerts.channel]]
type = "webhook"
url = "https://hooks.example/fake-hook"
[[alerts.channel]]
type = "command"
name = "bell"
command = ["/bin/ring", "-l"]
[[alerts.channel]]
url = "${TELEGRAM}"
[cleanup]
enabled = true
compress_days = 3
delete_days = 60
archive_days = 400
grace = "2d"
max_bytes = 9000
[recovery]
enabled = false

[config_check]
interval = "12h"

[log_rotation]
interval = "2h"
max_bytes = 4096
keep = 5
paths = ["/srv/*.log"]
[metrics]
textfile = "/var/lib/node_exporter/memconsole.prom"
port = 9123
interval = "5m"
[fleet]
timeout = "2m"
url = "postgresql://fleet_alpha@db.example/fleet"
publish = "figures"
beat = "1m"
exclude = ["private"]
allow = ["checkpoint", "rotate"]
operators = ["ann ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= checkpoint,rotate"]
within = "20m"
default = true
labels = { prod = ["alpha"] }
[[fleet.source]]
homes = ["~/.openclaw", "/srv/b/.openclaw"]
[[fleet.source]]
url = "ssh://ops@alpha"
[bootstrap]
max_chars = 10_000
total_chars = 30_000
active_max_age = "2h"
groups = true
[llm]
provider = "openai-compatible"
base_url = "http://127.0.0.1:8081/v1"
api_key_env = "MODEL_KEY"
model = "small"
fallback_model = "other"
timeout = "30s"
daily_tokens = 1000
[compaction]
min_duration_ms = 50
[config]
max_backups = 3
use_program = true
"""
