"""Files for browsers: ours, those of the user, and nothing else."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from headrace.rest.server.users import Role, User, hashed_password
from rest.conftest import Serving
from rest.memory import Memory


@pytest.fixture
def site(memory: Memory, serving: Serving, tmp_path: Path) -> httpx.Client:
    """A server with some pages of a user."""
    (tmp_path / "secret.txt").write_text("not for everybody")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "charts.html").write_text("<!doctype html><title>Charts</title>")
    (pages / "charts.js").write_text("")
    (pages / "apps").write_text("never seen: paths of ours come first")
    (pages / "outside").symlink_to(tmp_path / "secret.txt")
    return httpx.Client(base_url=serving(memory, pages=pages).url)


def test_a_page_of_ours_is_at_the_top(client: httpx.Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert 'src="/headrace/index.js"' in answer.text


@pytest.mark.parametrize("path", ["/", "/headrace/base.css", "/charts"])
def test_pages_may_load_only_what_is_here(path: str, site: httpx.Client) -> None:
    policy = site.get(path).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert site.get(path).headers["x-frame-options"] == "DENY"


def test_whoever_has_a_file_is_not_sent_it_again(client: httpx.Client) -> None:
    first = client.get("/headrace/base.css")
    again = client.get("/headrace/base.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "private, no-cache"


def test_pages_of_the_user_are_found_without_their_ending(site: httpx.Client) -> None:
    assert "<title>Charts</title>" in site.get("/charts").text
    assert site.get("/charts.html").text == site.get("/charts").text
    assert "javascript" in site.get("/charts.js").headers["content-type"]
    assert site.head("/charts").status_code == 200
    assert site.get("/").text == httpx.get(f"{site.base_url}/headrace/index.html").text


def test_a_page_of_the_user_may_be_at_the_top(memory: Memory, serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("my own")
    assert httpx.get(serving(memory, pages=tmp_path).url).text == "my own"


def test_a_page_of_the_user_for_what_is_not_there(memory: Memory, serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "404.html").write_text("nothing here")
    (tmp_path / "charts.html").write_text("charts")
    with httpx.Client(base_url=serving(memory, pages=tmp_path).url) as client:
        assert client.get("/charts").text == "charts"
        assert 'src="/headrace/index.js"' in client.get("/").text
        missing = client.get("/nowhere")
        assert (missing.status_code, missing.text) == (404, "nothing here")


def test_paths_of_ours_come_first(site: httpx.Client) -> None:
    assert site.get("/apps").json() == {"apps": ["music"]}


@pytest.mark.parametrize(
    "path",
    [
        *("/nowhere", "/outside", "/charts/", "/headrace", "/headrace/", "//etc/passwd", "/%00", "/" + "a" * 5_000),
        *("/../secret.txt", "/%2e%2e/secret.txt", "/headrace/../web.py", "/headrace/%2e%2e/web.py"),
    ],
)
def test_there_is_nothing_else(path: str, site: httpx.Client) -> None:
    answer = site.get(httpx.URL(str(site.base_url), raw_path=path.encode()))
    assert answer.status_code == 404, answer.text[:200]
    assert answer.json()["error"]["code"] == "path-unknown"


def test_nobody_sees_pages_who_may_not_ask(memory: Memory, serving: Serving, tmp_path: Path) -> None:
    users = tmp_path / "users.txt"
    users.write_text(User("ann", Role.READ, None, hashed_password("secret")).line)
    url = serving(memory, users=users).url
    assert httpx.get(url).status_code == 401
    assert httpx.get(f"{url}/headrace/base.css", auth=("ann", "wrong")).status_code == 401
    assert httpx.get(url, auth=("ann", "secret")).status_code == 200
