"""Publishes figures for Prometheus (port `MetricsSink`): a file, or an endpoint on 127.0.0.1.

Nothing is loaded before the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.errors import StateError
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_folder
from memconsole.text.outgoing import name_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from threading import Thread
    from wsgiref.simple_server import WSGIServer

    from prometheus_client.metrics_core import GaugeMetricFamily

    from memconsole.domain.metrics import Family


_HERE = "127.0.0.1"


class PrometheusMetrics:
    """Keeps the last figures for whoever asks, and writes them to a file.

    Args:
        textfile: For the node exporter, which is another user: it may be read by all. None: none.
        port: Of the endpoint on 127.0.0.1; 0: none. It ends with the process or with `close`.
    """

    def __init__(self, textfile: Path | None, port: int) -> None:
        self._textfile = textfile
        self._port = port
        self._last: Sequence[Family] = ()
        self._server: tuple[WSGIServer, Thread] | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether the settings switch one of the two on."""
        return self._textfile is not None or self._port > 0

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the last figures, as the library asks for them."""
        from prometheus_client.metrics_core import GaugeMetricFamily  # noqa: PLC0415

        for family in self._last:
            gauge = GaugeMetricFamily(family.name, family.help, labels=family.labels)
            for labels, value in family.samples:
                gauge.add_metric(list(map(name_out, labels)), value)
            yield gauge

    def publish(self, families: Sequence[Family]) -> None:
        """Make these the figures that monitoring sees.

        Raises:
            StateError: The file cannot be written, or the port is taken.
        """
        self._last = tuple(families)
        try:
            if self._port > 0 and self._server is None:
                self._serve()
            if self._textfile is not None:
                self._write(self._textfile)
        except OSError as error:
            place = str(self._textfile) if error.filename else f"{_HERE}:{self._port}"
            raise StateError(
                f"the metrics cannot be published at {place}: {(error.strerror or '').lower()}",
                hint="Check `metrics.textfile` and `metrics.port` of the configuration.",
            ) from error

    def close(self) -> None:
        """End the endpoint."""
        if self._server is not None:
            server, thread = self._server
            server.shutdown()
            thread.join()
            server.server_close()
            self._server = None

    def _serve(self) -> None:
        from prometheus_client import CollectorRegistry, start_http_server  # noqa: PLC0415

        # It knows how to answer `?name[]=`.
        registry = CollectorRegistry(support_collectors_without_names=True)
        registry.register(self)
        self._server = start_http_server(self._port, addr=_HERE, registry=registry)

    def _write(self, path: Path) -> None:
        """Replace the file whole; the exporter never sees half of it."""
        from prometheus_client import generate_latest  # noqa: PLC0415

        with open_folder(path.parent) as folder:
            replace_file(folder, path.name, generate_latest(self), mode=0o644)
