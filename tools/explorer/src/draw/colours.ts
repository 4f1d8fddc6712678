// Colours of data, as in the figures of the reports (crates/narscope-plot/src/colour.rs): Okabe and Ito's categories
// and viridis, with brighter ones on dark backgrounds. Colours of roles are in page.css.

export type Rgb = readonly [number, number, number];

const CATEGORIES: readonly Rgb[] = [
  [0, 114, 178],
  [213, 94, 0],
  [0, 158, 115],
  [204, 121, 167],
  [230, 159, 0],
  [86, 180, 233],
  [140, 86, 75],
  [127, 127, 127],
];

const CATEGORIES_ON_DARK: readonly Rgb[] = [
  [70, 158, 222],
  [226, 112, 30],
  [0, 170, 124],
  [204, 121, 167],
  [230, 159, 0],
  [140, 206, 245],
  [184, 134, 122],
  [154, 154, 154],
];

const VIRIDIS: readonly Rgb[] = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
  [210, 200, 40],
];

const VIRIDIS_ON_DARK: readonly Rgb[] = [
  [150, 100, 205],
  [95, 125, 205],
  [60, 150, 180],
  [40, 180, 140],
  [122, 209, 81],
  [230, 220, 60],
];

const HEAT: readonly Rgb[] = [
  [246, 249, 253],
  [190, 216, 236],
  [90, 160, 208],
  [14, 86, 150],
];

const HEAT_ON_DARK: readonly Rgb[] = [
  [30, 37, 46],
  [30, 74, 112],
  [60, 138, 192],
  [176, 216, 244],
];

const night = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  return night?.matches ?? false;
}

export function onSchemeChange(callback: () => void): void {
  night?.addEventListener("change", callback);
}

export function category(index: number): Rgb {
  const all = isDark() ? CATEGORIES_ON_DARK : CATEGORIES;
  return all[index % all.length]!;
}

/** A position on a continuous scale, from 0 to 1. */
export function scale(share: number): Rgb {
  return between(isDark() ? VIRIDIS_ON_DARK : VIRIDIS, share);
}

/** A value in a heat map, from 0 to 1. */
export function heat(share: number): Rgb {
  return between(isDark() ? HEAT_ON_DARK : HEAT, share);
}

/** Black or white, whichever is more legible on a colour. */
export function inkOn(rgb: Rgb): string {
  const [red, green, blue] = rgb.map((channel) => (channel / 255) ** 2.2) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2 ? "#111" : "#fff";
}

export function hex(rgb: Rgb): string {
  return `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}

function between(scale: readonly Rgb[], share: number): Rgb {
  const place = (Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share))) * (scale.length - 1);
  const [left, right] = [scale[Math.floor(place)]!, scale[Math.ceil(place)]!];
  const mix = (channel: 0 | 1 | 2) => left[channel] + (place % 1) * (right[channel] - left[channel]);
  return [mix(0), mix(1), mix(2)];
}
