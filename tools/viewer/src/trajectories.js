// The data of a view, as the report stores it (narscope-report/src/page/space.rs):
//
//   { "axes": [name, …3], "low": [x, y, z], "unit": length of one quantum,
//     "lengths": [states per trajectory], "positions": base64 of 16-bit integers, x y z state by state,
//     "scores": [score per trajectory] or null, "classes": [class per trajectory] or null }

export class Trajectories {
  constructor({ axes, low, unit, lengths, positions, scores, classes }) {
    Object.assign(this, { axes, lengths, scores, classes });
    const quanta = littleEndian(positions);
    this.count = quanta.length / 3;
    this.positions = Float32Array.from(quanta, (quantum, index) => low[index % 3] + unit * quantum);
    this.trajectory = new Uint16Array(this.count);
    this.step = new Uint16Array(this.count);
    this.starts = [];
    let point = 0;
    lengths.forEach((length, trajectory) => {
      this.starts.push(point);
      for (let step = 0; step < length; step += 1, point += 1) {
        this.trajectory[point] = trajectory;
        this.step[point] = step;
      }
    });
    this.steps = Math.max(0, ...lengths);
    this.groups = classes ? Math.max(...classes) + 1 : this.steps;
  }

  /** The class or, without classes, the step of a point. */
  group(point) {
    return this.classes ? this.classes[this.trajectory[point]] : this.step[point];
  }

  /** The smallest and the largest coordinate along an axis. */
  range(axis) {
    let [low, high] = [Infinity, -Infinity];
    for (let index = axis; index < this.positions.length; index += 3) {
      low = Math.min(low, this.positions[index]);
      high = Math.max(high, this.positions[index]);
    }
    return [low, high];
  }

  /** What a point is, in words. */
  describe(point) {
    const trajectory = this.trajectory[point];
    // A class holds the images of one graph.
    const name = this.classes
      ? `graph ${this.classes[trajectory] + 1}, image ${trajectory + 1}`
      : `graph ${trajectory + 1}`;
    const score = this.scores?.[trajectory];
    const percent = score === undefined ? "" : `, score ${(100 * score).toFixed(1)} %`;
    return `${name}, step ${this.step[point] + 1}${percent}`;
  }
}

function littleEndian(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, index) => view.getUint16(2 * index, true));
}
