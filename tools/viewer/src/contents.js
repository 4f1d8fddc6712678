// The bar of contents: the part that the reader sees is marked and kept in sight.

export function followReading() {
  const links = new Map();
  for (const link of document.querySelectorAll("nav.contents a")) {
    links.set(document.querySelector(link.getAttribute("href")), link);
  }
  const parts = [...links.keys()];
  let current;
  const mark = () => {
    // The last part that begins above the upper third of the window. At the end of the page, the last one.
    const { scrollTop, scrollHeight } = document.scrollingElement;
    const isEnd = scrollTop + window.innerHeight > scrollHeight - 2;
    const limit = isEnd ? Infinity : window.innerHeight / 3;
    const begun = parts.filter((part) => part.getBoundingClientRect().top < limit);
    const link = links.get(begun.at(-1) ?? parts[0]);
    if (link !== current) {
      current?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
      current = link;
      const bar = link.closest("nav");
      bar.scrollTo({ left: link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2 });
    }
  };
  let waits = false;
  const markSoon = () => {
    if (!waits) {
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        mark();
      });
    }
  };
  document.addEventListener("scroll", markSoon, { passive: true });
  mark();
}
