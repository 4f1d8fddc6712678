// The `config.toml` of a run: keys of one line each, with strings, numbers, booleans and lists of them.

import type { Result } from "./types.ts";

type Value = string | number | boolean | Value[];

const KEY = /^([A-Za-z0-9_-]+)\s*=\s*(.+)$/s;
/** A string, or a part without commas, brackets, quotes and comments. */
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|'[^']*'|[[\],]|#.*|[^\s"'[\],#]+)/y;

/** Reads a configuration; what this does not know is an error with its line. */
export function readToml(text: string): Result<Record<string, Value>> {
  const read: Record<string, Value> = {};
  const lines = text.split("\n");
  for (let number = 0; number < lines.length; number++) {
    const first = number;
    let line = lines[number]!.trim();
    if (line === "" || line.startsWith("#")) {
      continue;
    }
    // A list may take several lines.
    while (isOpen(line) && number + 1 < lines.length) {
      line += `\n${lines[++number]!.trim()}`;
    }
    const [, key, rest] = KEY.exec(line) ?? [];
    const value = key === undefined ? undefined : whole(tokens(rest!));
    if (key === undefined || value === undefined) {
      return {
        ok: false,
        error: `expected a configuration of narscope, found in line ${first + 1}: ${line.slice(0, 80)}`,
      };
    }
    read[key] = value;
  }
  return { ok: true, value: read };
}

function isOpen(line: string): boolean {
  const all = tokens(line.slice(line.indexOf("=") + 1)) ?? [];
  const count = (token: string) => all.filter((other) => other === token).length;
  return count("[") > count("]");
}

/** The tokens of a value without comments; nothing if there are other characters. */
function tokens(text: string): string[] | undefined {
  const all: string[] = [];
  TOKEN.lastIndex = 0;
  for (let end = 0; end < text.trimEnd().length; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) {
      return undefined;
    }
    if (!token.startsWith("#")) {
      all.push(token);
    }
  }
  return all;
}

/** The value that all tokens together are. */
function whole(all: string[] | undefined): Value | undefined {
  if (!all) {
    return undefined;
  }
  const value = all[0] === "[" ? list(all) : scalar(all);
  return all.length === 0 ? value : undefined;
}

function list(all: string[]): Value[] | undefined {
  all.shift();
  const items: Value[] = [];
  while (all.length > 0 && all[0] !== "]") {
    const item = scalar(all);
    if (item === undefined || (all[0] !== "]" && all.shift() !== ",")) {
      return undefined;
    }
    items.push(item);
  }
  return all.shift() === "]" ? items : undefined;
}

function scalar(all: string[]): Value | undefined {
  const token = all.shift() ?? "";
  if (token.startsWith("'")) {
    return token.slice(1, -1);
  }
  if (token.startsWith('"')) {
    try {
      return JSON.parse(token) as string;
    } catch {
      return undefined;
    }
  }
  if (token === "true" || token === "false") {
    return token === "true";
  }
  const number = /^[+-]?[0-9]/.test(token) ? Number(token.replaceAll("_", "")) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}
