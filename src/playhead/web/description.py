"""The description of the service: OpenAPI, and the same as a page to read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from playhead.corpus.facts import CORPUS_INFO
from playhead.registry import vocabulary
from playhead.tables.schema import Column
from playhead.version import __version__
from playhead.web.answers import FORMS, JSON, MOST
from playhead.web.bounds import Bounds

#: Every request: method, path, name, parameters of the query, and answers: JSON of `_OBJECTS`, with a star in each
#: of `FORMS`; without one, an error. All but the last need a token.
_REQUESTS = """
POST /replays send_replay name,tables,wait 201:Match 200:Match 202:Job 422:Job 400 403 404 408 413 502 503 507
Send a replay: its bytes, the file of a form, or as JSON a URL that the service may fetch.

GET /replays list_replays FACT,offset,limit 200:Replays 400
List the replays that fit conditions.

GET /replays/{replay} get_match tables 200:Match 400 404
A match: facts, players, statistics, numbers of rows, problems.

DELETE /replays/{replay} remove_replay - 204: 400 403 404
Remove a replay from the lake; it may be sent again.

GET /replays/{replay}/tables/{name} get_table_of_match format,columns,offset,limit 200:Rows* 400 404 413
A table of a match.

GET /tables list_tables FACT 200:Tables 400
Names of tables with their columns, of the replays that fit.

GET /tables/{name} get_table FACT,format,columns,offset,limit 200:Rows* 400 404 413
A table over all replays that fit.

GET /query query sql,format 200:Answer* 400 404 413
The answer to one statement of DuckDB's SQL over the tables of all replays.

POST /query post_query format 200:Answer* 400 404 408 413
The same, of a statement in JSON.

GET /jobs/{job} get_job - 200:Job 400 404
An upload that you sent: waiting, reading, done or failed.

GET /health get_health - 200:Health
Whether it answers; without a token.
"""

#: The properties of every JSON object; one with ``?`` may be missing. A column of rows with a whole number beyond
#: 2^53 is text.
_OBJECTS = """
Error error:text
Problem where:text offset:place tick:place what:text cost:text kind:text
Match replay:text file:text status:status problems:[Problem] info:Facts rows:{count} left_out:{count} \
    missing:[text] tables:{rows}
Replays total:count offset:count left_out:count replays:[Facts]
Rows table:text replay?:text file?:text total:count offset:count left_out:count rows:rows
Answer columns:[text] types:[text] rows:[[any]] total:count damaged?:{count}
Job job:text file:text size:count state:state replay?:text was_there:bool error?:text seconds?:number
Health status:text working:count
Url url:text
Statement sql:text
Form file:bytes
"""

_TYPES: Mapping[str, dict[str, Any]] = {
    "any": {},
    "bool": {"type": "boolean"},
    "bytes": {"type": "string", "format": "binary"},
    "count": {"type": "integer", "minimum": 0, "maximum": MOST},
    "number": {"type": "number"},
    "place": {"type": ["integer", "null"]},
    "rows": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
    "state": {"type": "string", "enum": ["waiting", "reading", "done", "failed"]},
    "status": {"type": "string", "enum": ["whole", "partial", "failed", "quarantined"]},
    "text": {"type": "string"},
}

_ANSWERS = {
    200: "The answer; of an upload: the lake had this replay.",
    201: "The replay is in the lake.",
    202: "It waits or is read; `Location` is the job.",
    204: "It is removed.",
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

#: What parameters mean, by place and name, with their types.
_IN_PATH = {
    "replay": "SHA-256 of the replay, as in the list.",
    "name": "Name of a table.",
    "job": "As in the answer to the upload.",
}
_IN_QUERY = {
    "name": ("Name of the file.", "text"),
    "tables": (
        "Names of tables whose rows are in the answer, with commas; of an upload, events are sentences.",
        "text",
    ),
    "wait": ("Seconds to wait for the answer, 60 by default and 600 at most; then a job is it.", "count"),
    "FACT": (
        "Conditions, each by the name of a fact: game=cs2, map=*mirage, build=>=80949, matchup=PvT. "
        "Several values mean any of them: game=cs2,sc2, or repeated.",
        "facts",
    ),
    "offset": ("Rows to skip.", "count"),
    "limit": ("Greatest number of rows.", "count"),
    "format": ("Form of the answer, json by default.", "format"),
    "columns": ("Names of columns, with commas; all by default.", "text"),
    "sql": ("The statement.", "text"),
}


def _schema(word: str) -> dict[str, Any]:
    if word.startswith("["):
        return {"type": "array", "items": _schema(word[1:-1])}
    if word.startswith("{"):
        return {"type": "object", "additionalProperties": _schema(word[1:-1])}
    if word == "Tables":
        return _schema("{[text]}")
    return _TYPES.get(word, {"$ref": f"#/components/schemas/{word}"})


def _object(line: str) -> dict[str, Any]:
    parts = dict(word.split(":") for word in line.split()[1:])
    properties = {name.rstrip("?"): _schema(kind) for name, kind in parts.items()}
    return {"type": "object", "properties": properties, "required": [each for each in parts if "?" not in each]}


def _of_column(column: Column) -> dict[str, Any]:
    kinds = {"int64": "integer", "int32": "integer", "float64": "number", "bool": "boolean"}
    doc = re.sub(r"\bnull\b", "absent", column.doc)  # a match has no facts that are unknown
    return {"type": kinds.get(column.type, "string"), "description": doc}


def _parameter(name: str) -> dict[str, Any]:
    text, kind = _IN_QUERY[name]
    facts = dict.fromkeys((*CORPUS_INFO.column_names, *sorted(vocabulary().facts)), _TYPES["text"])
    schema = {
        "facts": {"type": "object", "properties": facts},
        "format": {"type": "string", "enum": list(FORMS)},
    }.get(kind, _TYPES.get(kind))
    style = {"style": "form", "explode": True} if kind == "facts" else {}
    return {"name": name, "in": "query", "description": text, "required": name == "sql", **style, "schema": schema}


def _answer(word: str) -> tuple[str, dict[str, Any]]:
    status, has_object, name = word.partition(":")
    found: dict[str, Any] = {"description": _ANSWERS[int(status)]}
    if name or not has_object:
        found["content"] = {JSON: {"schema": _schema(name.rstrip("*") or "Error")}}
    if name.endswith("*"):
        found["content"] |= {each: {"schema": _TYPES["bytes"]} for each in FORMS.values() if each != JSON}
    return status, found


def _request(text: str) -> tuple[str, str, dict[str, Any]]:
    """Return path, method and OpenAPI's description of a request."""
    line, summary = text.split("\n")
    method, path, name, parameters, *answers = line.split()
    in_path = [
        {"name": each, "in": "path", "description": _IN_PATH[each], "required": True, "schema": _TYPES["text"]}
        for each in re.findall(r"{(\w+)}", path)
    ]
    found = {
        "operationId": name,
        "summary": summary,
        "parameters": [*in_path, *map(_parameter, re.findall(r"\w+", parameters))],
        "responses": dict(map(_answer, [*answers, *(["401", "429", "500"] if path != "/health" else [])])),
    }
    if path == "/health":
        found["security"] = []
    if method == "POST":
        upload = {"application/octet-stream": "bytes", "multipart/form-data": "Form", JSON: "Url"}
        bodies = upload if path == "/replays" else {JSON: "Statement"}
        content = {kind: {"schema": _schema(word)} for kind, word in bodies.items()}
        found["requestBody"] = {"required": True, "content": content}
    return path, method.lower(), found


@cache
def parameters(method: str, path: str) -> frozenset[str]:
    """Return the names of the parameters that a request may have; ``FACT`` is any fact of replays."""
    described = openapi()["paths"][path][method.lower()]["parameters"]
    return frozenset(each["name"] for each in described if each["in"] == "query")


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI description."""
    paths: dict[str, dict[str, Any]] = {}
    for path, method, request in map(_request, _REQUESTS.strip().split("\n\n")):
        paths.setdefault(path, {})[method] = request
    schemas = {line.split()[0]: _object(line) for line in _OBJECTS.strip().split("\n")}
    facts = {each.name: _of_column(each) for each in CORPUS_INFO.columns}
    required = [each.name for each in CORPUS_INFO.columns if each.required]
    schemas["Facts"] = {"type": "object", "properties": facts, "required": required}
    return {
        "openapi": "3.1.0",
        "info": {"title": "playhead", "version": __version__, "summary": "Game replays in, JSON and tables out."},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
    }


def page(bounds: Bounds) -> str:
    """Return the description as a page of HTML that loads nothing."""
    parts = []
    for path, methods in openapi()["paths"].items():
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
                f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(facts['summary'])}</p>"
                f"<table>{rows}{answers}</table>"
            )
    style = (
        ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;"
        "padding:0 1em}td{padding:.1em 1em .1em 0;vertical-align:top}h2{font-size:1.1em;margin-top:2em}"
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>playhead: the service</title>'
        f"<style>{style}</style><h1>The service</h1><p>Send <code>Authorization: Bearer TOKEN</code>. "
        f"An upload has at most {bounds.upload >> 20} MiB. "
        f'For programs: <a href="openapi.json">openapi.json</a>.</p>{"".join(parts)}</html>'
    )
