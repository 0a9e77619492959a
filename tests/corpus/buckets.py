"""A bucket on a real S3 server of this process, which may fail some requests."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import fsspec
import moto.server
import s3fs

BUCKET = "playhead-lake"


class Shaky:
    """A WSGI application whose requests fail at random: half of them before they are obeyed, half after."""

    def __init__(self, app: Callable[..., Iterable[bytes]], share: float) -> None:
        self.share = share
        self.failed = self.asked = 0
        self._app = app
        self._random = random.Random(76)

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        told: list[Any] = []
        fate = self._random.random()
        self.asked += 1
        if fate >= self.share / 2:
            given = {**environ, "wsgi.input": io.BytesIO(body)}
            answer = [*self._app(given, lambda *words: told.extend(words))]
            if fate >= self.share:
                start(*told)
                return answer
        self.failed += 1
        start("503 Slow Down", [("Content-Length", "0")])
        return []


@contextmanager
def served(share: float = 0.0) -> Iterator[Shaky]:
    """Serve `BUCKET`, of which the environment tells every process; `share` of the requests fail."""
    shaky = Shaky(moto.server.DomainDispatcherApplication(moto.server.create_backend_app), 0.0)
    with patch("moto.moto_server.threaded_moto_server.DomainDispatcherApplication", lambda make: shaky):
        server = moto.server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    own = {"ACCESS_KEY_ID": "test", "SECRET_ACCESS_KEY": "test", "DEFAULT_REGION": "us-east-1"}
    names = {f"AWS_{name}": value for name, value in own.items()}
    with patch.dict(os.environ, {"FSSPEC_S3_ENDPOINT_URL": url, **names}):
        fsspec.config.set_conf_env(fsspec.config.conf)
        s3fs.S3FileSystem(endpoint_url=url, skip_instance_cache=True).makedirs(BUCKET, exist_ok=True)
        shaky.share = share
        try:
            yield shaky
        finally:
            fsspec.config.conf.pop("s3", None)
            s3fs.S3FileSystem.clear_instance_cache()
            server.stop()
