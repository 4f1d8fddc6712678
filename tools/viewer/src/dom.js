/** Makes an element with properties and children. */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  // `role` is not a property in every browser.
  if (properties.role) {
    made.setAttribute("role", properties.role);
  }
  made.append(...children);
  return made;
}

/** Lets the reader save a blob as a file. */
export function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
