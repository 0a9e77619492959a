"""The description of the service: OpenAPI, and the same as a page to read."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from playhead.service.archive import FORMS
from playhead.service.bounds import Bounds
from playhead.version import __version__


def _parameter(name: str, text: str, *, place: str = "query", kind: str = "string", **more: Any) -> dict[str, Any]:
    schema = {"type": kind, **more}
    return {"name": name, "in": place, "description": text, "required": place == "path", "schema": schema}


_REPLAY = _parameter("replay", "SHA-256 of the replay, as in the list.", place="path")
_NAME = _parameter("name", "Name of a table.", place="path")
_FORM = _parameter("format", "Form of the answer.", enum=list(FORMS), default="json")
_COLUMNS = _parameter("columns", "Names of columns, with commas; all by default.")
_OFFSET = _parameter("offset", "Rows to skip.", kind="integer", minimum=0, default=0)
_LIMIT = _parameter("limit", "Greatest number of rows.", kind="integer", minimum=0)
_FACTS = _parameter(
    "FACT",
    "Conditions, each by the name of a fact of `/replays`: game=cs2, map=*mirage, build=>=80949, matchup=TvZ.",
)
_WAIT = _parameter("wait", "Seconds to wait for the answer; then a job is the answer.", kind="number", default=60)
_TABLES = _parameter("tables", "Names of tables whose rows are in the answer, with commas.")


def _answer(text: str, *types: str) -> dict[str, Any]:
    return {"description": text, "content": {each: {} for each in types or ("application/json",)}}


def _errors(*numbers: int) -> dict[str, Any]:
    texts = {
        400: "The request is wrong.",
        401: "No token that is known here.",
        403: "This token may not, or the URL is not allowed.",
        404: "There is no such thing.",
        408: "The upload took too long.",
        413: "It is larger than it may be.",
        422: "It is no replay, or reading it needs more time or memory than it may.",
        429: "Too many requests; `Retry-After` says when.",
        502: "The URL cannot be read.",
        503: "Too many uploads wait; `Retry-After` says when.",
        507: "The lake or the disk is full.",
    }
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {str(each): {"description": texts[each], "content": content} for each in numbers}


def paths(bounds: Bounds) -> Mapping[str, Mapping[str, Any]]:
    """Return the requests of the service, as OpenAPI has them."""
    octets = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    url = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
    forms = tuple(FORMS.values())
    return {
        "/replays": {
            "post": {
                "summary": "Send a replay: its bytes, or as JSON a URL that the service may fetch.",
                "description": f"At most {bounds.upload >> 20} MiB. The answer is the match, as of "
                "`GET /replays/{replay}`, or a job if it takes longer than `wait`.",
                "parameters": [_parameter("name", "Name of the file."), _TABLES, _WAIT],
                "requestBody": {"required": True, "content": {**octets, "application/json": {"schema": url}}},
                "responses": {
                    "200": _answer("The lake had this replay."),
                    "201": _answer("The replay is in the lake."),
                    "202": _answer("It waits or is read; `Location` is the job."),
                    **_errors(400, 401, 403, 408, 413, 422, 429, 502, 503, 507),
                },
            },
            "get": {
                "summary": "List the replays that fit conditions.",
                "parameters": [_FACTS, _OFFSET, _LIMIT],
                "responses": {"200": _answer("Facts of each."), **_errors(400, 401, 429)},
            },
        },
        "/replays/{replay}": {
            "get": {
                "summary": "A match: facts, players, statistics, numbers of rows, problems.",
                "parameters": [_REPLAY, _TABLES],
                "responses": {"200": _answer("The match."), **_errors(401, 404, 429)},
            }
        },
        "/replays/{replay}/tables/{name}": {
            "get": {
                "summary": "A table of a match.",
                "parameters": [_REPLAY, _NAME, _FORM, _COLUMNS, _OFFSET, _LIMIT],
                "responses": {"200": _answer("The rows.", *forms), **_errors(400, 401, 404, 413, 429)},
            }
        },
        "/tables": {
            "get": {
                "summary": "Names of tables with their columns, of the replays that fit.",
                "parameters": [_FACTS],
                "responses": {"200": _answer("Columns by table."), **_errors(400, 401, 429)},
            }
        },
        "/tables/{name}": {
            "get": {
                "summary": "A table over all replays that fit.",
                "parameters": [_NAME, _FACTS, _FORM, _COLUMNS, _OFFSET, _LIMIT],
                "responses": {"200": _answer("The rows.", *forms), **_errors(400, 401, 404, 413, 429)},
            }
        },
        "/query": {
            "get": {
                "summary": "The answer to one statement of DuckDB's SQL over the tables of all replays.",
                "parameters": [_parameter("sql", "The statement."), _FORM],
                "responses": {"200": _answer("The rows.", *forms), **_errors(400, 401, 429)},
            }
        },
        "/jobs/{job}": {
            "get": {
                "summary": "An upload that you sent: waiting, reading, done or failed.",
                "parameters": [_parameter("job", "As in the answer to the upload.", place="path")],
                "responses": {"200": _answer("The job."), **_errors(401, 404, 429)},
            }
        },
        "/health": {
            "get": {"summary": "Whether it answers; without a token.", "responses": {"200": _answer("It does.")}}
        },
    }


def openapi(bounds: Bounds) -> dict[str, Any]:
    """Return the OpenAPI description."""
    error = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "playhead", "version": __version__, "summary": "Game replays in, JSON and tables out."},
        "paths": paths(bounds),
        "components": {
            "schemas": {"Error": error},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def page(bounds: Bounds) -> str:
    """Return the description as a page of HTML that loads nothing."""
    parts = []
    for path, methods in paths(bounds).items():
        for method, facts in methods.items():
            rows = "".join(
                f"<tr><td><code>{escape(each['name'])}</code><td>{escape(each['in'])}<td>{escape(each['description'])}"
                for each in facts.get("parameters", ())
            )
            answers = "".join(
                f"<tr><td>{number}<td><td>{escape(each['description'])}"
                for number, each in facts["responses"].items()
            )
            parts.append(
                f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(facts['summary'])} "
                f"{escape(facts.get('description', ''))}</p><table>{rows}{answers}</table>"
            )
    style = (
        ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;"
        "padding:0 1em}td{padding:.1em 1em .1em 0;vertical-align:top}h2{font-size:1.1em;margin-top:2em}"
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>playhead: the service</title>'
        f"<style>{style}</style><h1>The service</h1><p>Send <code>Authorization: Bearer TOKEN</code>. "
        f'For programs: <a href="openapi.json">openapi.json</a>.</p>{"".join(parts)}</html>'
    )
