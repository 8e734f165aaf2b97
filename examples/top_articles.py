"""The five articles of each industry that are read most in an hour, from page views."""

from dataclasses import dataclass

import headrace as hr

MOST = 5


@dataclass(frozen=True)
class View:
    user: str
    article: str
    industry: str


@dataclass(frozen=True)
class Article:
    """What is counted: an article in an industry."""

    industry: str
    title: str


@dataclass
class Ranked:
    title: str
    views: int


def enters(_: hr.Windowed[str], article: Ranked, top: list[Ranked]) -> list[Ranked]:
    return sorted([*top, article], key=lambda one: (-one.views, one.title))


def leaves(_: hr.Windowed[str], article: Ranked, top: list[Ranked]) -> list[Ranked]:
    return [one for one in top if one.title != article.title]


app = hr.App("top-articles")
views = app.stream("article-views", value=hr.json(View))
articles = views.filter(lambda _, view: view.article != "" and "/draft" not in view.article)
counts = (
    articles.group_by(lambda _, view: Article(view.industry, view.article))
    .windowed_by(hr.tumbling("1h"))
    .count(store="article-views")
)
by_industry = counts.group_by(
    lambda window, views: (
        hr.Windowed(window.key.industry, window.start, window.end),
        Ranked(window.key.title, views),
    )
)
# All articles stay in the table behind it: when one of the five falls back, the sixth moves up.
ranked = by_industry.aggregate(list[Ranked], enters, leaves, store="ranked")
top = ranked.to_stream().map(
    lambda window, articles: (
        window.key,
        ", ".join(f"{one.title} ({one.views})" for one in articles[:MOST]),
    )
)
top.to("top-articles", key=hr.STRING, value=hr.STRING)

if __name__ == "__main__":
    app.run()
