#!/usr/bin/env python3
"""Opens every page of the documentation's site in Chromium, on a wide and on a narrow window.

usage: site-check.py SITE [--pictures FOLDER]

SITE is a version's folder, as scripts/site.sh --release makes it. Faults are printed, and the exit status is 1: an error on the console, a link or a picture that is not there, a page
that is wider than the window, a search that does not find what is there, code that cannot be copied, a page that is more than three clicks from home.
Needs Debian's chromium and chromium-driver, and selenium from PyPI. FOLDER gets pictures of the home page and the tutorial.
"""
import argparse
import collections
import functools
import http.server
import pathlib
import sys
import threading
import urllib.parse

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

# All pages as one: its links to pages that are not among them lead nowhere, and it has no search.
ALL = "print_page.html"
SIZES = [(1280, 900), (390, 844)]
# A word, and a page that has to be among what the search finds.
WORDS = {"broadcast": "", "accumulator": "reductions", "gufunc": "gufuncs", "philox": "random", "manifest": "manifest", "NVRTC": "", "dlpack": "", "chunked": "larger",
         "mpirun": "", "casting": ""}
LINKS = """
const found = [];
for (const a of document.querySelectorAll('a[href]')) found.push(a.href);
for (const i of document.querySelectorAll('img[src]')) if (!i.complete || i.naturalWidth === 0) found.push('broken:' + i.src);
return found;
"""
WIDER = """
const wide = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= wide) return null;
let worst = '', most = wide;
for (const e of document.querySelectorAll('article *')) {
  const right = e.getBoundingClientRect().right;
  if (right > most && getComputedStyle(e.parentElement).overflowX === 'visible') { most = right; worst = e.tagName + ' ' + e.textContent.slice(0, 60); }
}
return document.documentElement.scrollWidth + ' of ' + wide + ': ' + worst;
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def page_of(base, link):
    """The page within the site and the anchor; None for other sites."""
    if not link.startswith(base):
        return None
    path, _, anchor = link[len(base):].partition("#")
    path = urllib.parse.unquote(path.split("?")[0]) or "index.html"
    return (path + "index.html" if path.endswith("/") else path), urllib.parse.unquote(anchor)


def check_search(driver, base, faults):
    for word, page in WORDS.items():
        driver.get(base)
        box = driver.find_element(By.CSS_SELECTOR, "input.md-search__input")
        driver.execute_script("document.querySelector('#__search').checked = true")
        box.send_keys(word)
        try:
            hits = WebDriverWait(driver, 15).until(lambda d: d.find_elements(By.CSS_SELECTOR, ".md-search-result__item a"))
            if page and not any(page in hit.get_attribute("href") for hit in hits):
                faults.append(f"the search for {word} does not find {page}")
        except Exception:  # noqa: BLE001 (selenium's own, of several kinds)
            faults.append(f"the search finds nothing for {word}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site")
    parser.add_argument("--pictures")
    given = parser.parse_args()
    site = pathlib.Path(given.site).resolve()
    # The list of versions lies beside the folder.
    base = serve(site.parent) + site.name + "/"
    driver = browser()
    faults, anchors, wanted, links = [], {}, collections.defaultdict(set), {}
    pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")
    pages.sort(key=lambda page: page == ALL)  # last: what it logs late is no other page's
    for width, height in SIZES:
        driver.set_window_size(width, height)
        # A headless window has a least width: the page's own is set.
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        for page in pages:
            driver.get(base + page)
            for entry in driver.get_log("browser"):
                if entry["level"] == "SEVERE":
                    faults.append(f"{page}: {entry['message']}")
            if wider := driver.execute_script(WIDER):
                faults.append(f"{page}: at {width} pixels it is wider than the window: {wider}")
            if width != SIZES[0][0]:
                continue
            anchors[page] = set(driver.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)"))
            links[page] = set()
            for link in driver.execute_script(LINKS):
                if link.startswith("broken:"):
                    faults.append(f"{page}: the picture {link[len('broken:'):]} is not there")
                elif inner := page_of(base, link):
                    wanted[inner].add(page)
                    links[page].add(inner[0])
            blocks = driver.find_elements(By.CSS_SELECTOR, "div.highlight pre")
            if blocks and not driver.find_elements(By.CSS_SELECTOR, ".md-clipboard, [data-md-component=copy], button[title*=Copy]"):
                faults.append(f"{page}: code has no button to copy it")
    for (page, anchor), sources in sorted(wanted.items()):
        if not (site / page).is_file():
            faults.append(f"{sorted(sources)[0]}: there is no {page}")
        elif anchor and page != ALL and page in anchors and anchor not in anchors[page] and not anchor.startswith(("__", ":~:")):
            faults.append(f"{sorted(sources)[0]}: {page} has no #{anchor}")
    clicks, edge = {"index.html": 0}, ["index.html"]
    while edge:
        page = edge.pop(0)
        for inner in links.get(page, ()):
            if inner not in clicks:
                clicks[inner] = clicks[page] + 1
                edge.append(inner)
    faults += [f"{page} is {clicks.get(page, 'not to be reached by any number of')} clicks from home" for page in pages if clicks.get(page, 9) > 3]
    driver.set_window_size(*SIZES[0])
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    check_search(driver, base, faults)
    if given.pictures:
        folder = pathlib.Path(given.pictures)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("index.html", "five-minutes.html", *[p for p in pages if p.startswith("tutorial/")][:3], "gallery.html", "errors.html"):
            for width, height in SIZES:
                if (site / name).is_file():
                    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
                    driver.get(base + name)
                    driver.save_screenshot(str(folder / f"{name.replace('/', '-').removesuffix('.html')}-{width}.png"))
    driver.quit()
    print("\n".join(faults) or f"{len(pages)} pages at {' and '.join(str(width) for width, _ in SIZES)} pixels: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
