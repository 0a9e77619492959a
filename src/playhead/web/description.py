"""The description of the service: OpenAPI, and the same as a page to read."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from playhead.corpus.facts import CORPUS_INFO
from playhead.tables.schema import Column
from playhead.version import __version__
from playhead.web.answers import FORMS, JSON, MOST
from playhead.web.bounds import Bounds

_Schema = dict[str, Any]
_TEXT: _Schema = {"type": "string"}
_COUNT: _Schema = {"type": "integer", "minimum": 0}
_ANY_ROW: _Schema = {"type": "object", "additionalProperties": True}


def _object(optional: str = "", /, **properties: _Schema) -> _Schema:
    """Return the schema of an object; all properties but the `optional` ones are required."""
    required = [name for name in properties if name not in optional.split()]
    return {"type": "object", "properties": properties, "required": required}


def _list(items: _Schema) -> _Schema:
    return {"type": "array", "items": items}


def _map(values: _Schema) -> _Schema:
    return {"type": "object", "additionalProperties": values}


def _of(name: str) -> _Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _of_column(column: Column) -> _Schema:
    if column.type.startswith(("int", "uint")):
        kind: str | list[str] = ["integer", "string"] if column.type.endswith("64") else "integer"
    else:
        kind = {"bool": "boolean"}.get(column.type, "number" if column.type.startswith("float") else "string")
    return {"type": kind, "description": column.doc}


_INFO = _object(
    " ".join(each.name for each in CORPUS_INFO.columns if not each.required),
    **{each.name: _of_column(each) for each in CORPUS_INFO.columns},
)
_PROBLEM = _object(
    where=_TEXT,
    offset={"type": ["integer", "null"]},
    tick={"type": ["integer", "null"]},
    what=_TEXT,
    cost=_TEXT,
    kind=_TEXT,
)

#: Every JSON answer. A whole number beyond 2^53 is text: its column is, in the whole answer.
SCHEMAS: Mapping[str, _Schema] = {
    "Error": _object(error=_TEXT),
    "Facts": _INFO,
    "Problem": _PROBLEM,
    "Match": _object(
        replay=_TEXT,
        file=_TEXT,
        status={"type": "string", "enum": ["whole", "partial", "failed", "quarantined"]},
        problems=_list(_of("Problem")),
        info=_of("Facts"),
        rows=_map(_COUNT),
        left_out=_map(_COUNT),
        tables=_map(_list(_ANY_ROW)),
    ),
    "Replays": _object(total=_COUNT, offset=_COUNT, replays=_list(_of("Facts"))),
    "Tables": _map(_list(_TEXT)),
    "Rows": _object(
        "replay file",
        table=_TEXT,
        replay=_TEXT,
        file=_TEXT,
        total=_COUNT,
        offset=_COUNT,
        rows=_list(_ANY_ROW),
    ),
    "Answer": _object(columns=_list(_TEXT), types=_list(_TEXT), rows=_list(_list({})), total=_COUNT),
    "Job": _object(
        "replay error seconds",
        job=_TEXT,
        file=_TEXT,
        size=_COUNT,
        state={"type": "string", "enum": ["waiting", "reading", "done", "failed"]},
        replay=_TEXT,
        was_there={"type": "boolean"},
        error=_TEXT,
        seconds={"type": "number"},
    ),
    "Health": _object(status=_TEXT, working=_COUNT),
    "Url": _object(url=_TEXT),
    "Form": _object(file={"type": "string", "format": "binary"}),
}

_ERRORS = {
    400: "The request is wrong.",
    401: "No token that is known here.",
    403: "This token may not, or the URL is not allowed.",
    404: "There is no such thing.",
    408: "The upload took too long.",
    413: "It is larger than it may be.",
    422: "It is no replay, or reading it needs more time or memory than it may.",
    429: "Too many requests; `Retry-After` says when.",
    500: "The service failed; its log says why.",
    502: "The URL cannot be read.",
    503: "Too many uploads wait; `Retry-After` says when.",
    507: "The lake or the disk is full.",
}


def _parameter(name: str, text: str, *, place: str = "query", kind: str = "string", **more: Any) -> dict[str, Any]:
    schema = {"type": kind, **more}
    return {"name": name, "in": place, "description": text, "required": place == "path", "schema": schema}


_REPLAY = _parameter("replay", "SHA-256 of the replay, as in the list.", place="path")
_NAME = _parameter("name", "Name of a table.", place="path")
_FORM = _parameter("format", "Form of the answer.", enum=list(FORMS), default="json")
_COLUMNS = _parameter("columns", "Names of columns, with commas; all by default.")
_NUMBER: dict[str, Any] = {"kind": "integer", "minimum": 0, "maximum": MOST}
_OFFSET = _parameter("offset", "Rows to skip.", default=0, **_NUMBER)
_LIMIT = _parameter("limit", "Greatest number of rows.", **_NUMBER)
_FACTS = {
    **_parameter(
        "FACT", "Conditions, each by the name of a fact: game=cs2, map=*mirage, build=>=80949, matchup=PvT."
    ),
    "style": "form",
    "explode": True,
    "schema": {"type": "object", "properties": dict.fromkeys(CORPUS_INFO.column_names, _TEXT)},
}
_WAIT = _parameter("wait", "Seconds to wait for the answer, at most 600; then a job is it.", **_NUMBER)
_TABLES = _parameter("tables", "Names of tables whose rows are in the answer, with commas.")


def _answer(text: str, schema: str) -> dict[str, Any]:
    return {"description": text, "content": {JSON: {"schema": _of(schema)}}}


def _in_forms(text: str, schema: str) -> dict[str, Any]:
    others = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FORMS.values() if kind != JSON}
    return {"description": text, "content": {JSON: {"schema": _of(schema)}, **others}}


def _request(
    name: str, summary: str, parameters: list[Any], answers: Mapping[str, Any], *errors: int, **more: Any
) -> dict[str, Any]:
    failed = {str(each): _answer(_ERRORS[each], "Error") for each in sorted((*errors, 401, 429, 500))}
    described = {"operationId": name, "summary": summary, "parameters": parameters}
    return {**described, **more, "responses": {**answers, **failed}}


def paths(bounds: Bounds) -> Mapping[str, Mapping[str, Any]]:
    """Return the requests of the service, as OpenAPI has them."""
    octets = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    forms = {"multipart/form-data": {"schema": _of("Form")}, JSON: {"schema": _of("Url")}}
    return {
        "/replays": {
            "post": _request(
                "send_replay",
                "Send a replay: its bytes, the file of a form, or as JSON a URL that the service may fetch.",
                [_parameter("name", "Name of the file."), _TABLES, _WAIT],
                {
                    "200": _answer("The lake had this replay.", "Match"),
                    "201": _answer("The replay is in the lake.", "Match"),
                    "202": _answer("It waits or is read; `Location` is the job.", "Job"),
                    "422": _answer(_ERRORS[422], "Job"),
                },
                *(400, 403, 404, 408, 413, 502, 503, 507),
                description=f"At most {bounds.upload >> 20} MiB. The answer is the match, as of "
                "`GET /replays/{replay}`, or a job if it takes longer than `wait`.",
                requestBody={"required": True, "content": {**octets, **forms}},
            ),
            "get": _request(
                "list_replays",
                "List the replays that fit conditions.",
                [_FACTS, _OFFSET, _LIMIT],
                {"200": _answer("Facts of each.", "Replays")},
                400,
            ),
        },
        "/replays/{replay}": {
            "get": _request(
                "get_match",
                "A match: facts, players, statistics, numbers of rows, problems.",
                [_REPLAY, _TABLES],
                {"200": _answer("The match.", "Match")},
                *(400, 404),
            ),
            "delete": _request(
                "remove_replay",
                "Remove a replay from the lake; it may be sent again.",
                [_REPLAY],
                {"204": {"description": "It is removed."}},
                *(400, 403, 404),
            ),
        },
        "/replays/{replay}/tables/{name}": {
            "get": _request(
                "get_table_of_match",
                "A table of a match.",
                [_REPLAY, _NAME, _FORM, _COLUMNS, _OFFSET, _LIMIT],
                {"200": _in_forms("The rows.", "Rows")},
                *(400, 404, 413),
            )
        },
        "/tables": {
            "get": _request(
                "list_tables",
                "Names of tables with their columns, of the replays that fit.",
                [_FACTS],
                {"200": _answer("Columns by table.", "Tables")},
                400,
            )
        },
        "/tables/{name}": {
            "get": _request(
                "get_table",
                "A table over all replays that fit.",
                [_NAME, _FACTS, _FORM, _COLUMNS, _OFFSET, _LIMIT],
                {"200": _in_forms("The rows.", "Rows")},
                *(400, 404, 413),
            )
        },
        "/query": {
            "get": _request(
                "query",
                "The answer to one statement of DuckDB's SQL over the tables of all replays.",
                [{**_parameter("sql", "The statement.", minLength=1), "required": True}, _FORM],
                {"200": _in_forms("The rows.", "Answer")},
                *(400, 404, 413),
            )
        },
        "/jobs/{job}": {
            "get": _request(
                "get_job",
                "An upload that you sent: waiting, reading, done or failed.",
                [_parameter("job", "As in the answer to the upload.", place="path")],
                {"200": _answer("The job.", "Job")},
                *(400, 404),
            )
        },
        "/health": {
            "get": {
                "operationId": "get_health",
                "summary": "Whether it answers; without a token.",
                "security": [],
                "responses": {"200": _answer("It does.", "Health")},
            }
        },
    }


def openapi(bounds: Bounds) -> dict[str, Any]:
    """Return the OpenAPI description."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "playhead", "version": __version__, "summary": "Game replays in, JSON and tables out."},
        "paths": paths(bounds),
        "components": {"schemas": SCHEMAS, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
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
