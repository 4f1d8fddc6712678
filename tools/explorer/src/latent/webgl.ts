// Points and lines by WebGL 2. The vertex shader projects as camera.ts does, so that turning uploads nothing.

import type { Camera } from "./camera.ts";
import type { Cloud, Painter } from "./painter.ts";

const VERTEX = `#version 300 es
in vec3 place;
in vec3 colour;
in float record;
uniform mat3 rotation;
uniform float distance;
uniform vec2 scale;
uniform float current;
uniform float pixels;
uniform float opacity;
out vec4 tint;
void main() {
  vec3 seen = rotation * place;
  float size = distance / (distance - seen.z);
  bool isCurrent = record == current;
  gl_Position = vec4(seen.xy * scale * size, -seen.z / 4.0, 1.0);
  gl_PointSize = pixels * size * (isCurrent ? 6.5 : 3.5);
  tint = vec4(colour, isCurrent ? min(1.0, 1.6 * opacity) : opacity);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint;
uniform bool isRound;
out vec4 colour;
void main() {
  if (isRound && length(gl_PointCoord - 0.5) > 0.5) discard;
  colour = vec4(tint.rgb * tint.a, tint.a);
}`;

export class WebglPainter implements Painter {
  readonly notice = "";
  private program: WebGLProgram | null = null;
  private vertices: WebGLVertexArrayObject | null = null;
  private buffers: WebGLBuffer[] = [];
  private cloud: Cloud | null = null;

  constructor(private gl: WebGL2RenderingContext) {
    const { canvas } = gl;
    // The driver may take a context away and give it back.
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.start();
      if (this.cloud) {
        this.load(this.cloud);
      }
    });
    this.start();
  }

  private start(): void {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    this.program = program;
    this.buffers = [];
    this.vertices = gl.createVertexArray();
  }

  load(cloud: Cloud): void {
    this.cloud = cloud;
    const { gl, program } = this;
    if (!program || gl.isContextLost()) {
      return;
    }
    for (const old of this.buffers.splice(0)) {
      gl.deleteBuffer(old);
    }
    const bind = (target: number) => {
      const buffer = gl.createBuffer();
      this.buffers.push(buffer);
      gl.bindBuffer(target, buffer);
    };
    gl.bindVertexArray(this.vertices);
    const attribute = (name: string, data: BufferSource, size: number, type: number, normalised: boolean) => {
      const at = gl.getAttribLocation(program, name);
      bind(gl.ARRAY_BUFFER);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, type, normalised, 0, 0);
    };
    attribute("place", cloud.space.points as Float32Array<ArrayBuffer>, 3, gl.FLOAT, false);
    attribute("colour", cloud.colours as Uint8Array<ArrayBuffer>, 3, gl.UNSIGNED_BYTE, true);
    attribute("record", cloud.records as Float32Array<ArrayBuffer>, 1, gl.FLOAT, false);
    bind(gl.ELEMENT_ARRAY_BUFFER);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, cloud.space.lines as Uint32Array<ArrayBuffer>, gl.STATIC_DRAW);
  }

  draw(camera: Camera, width: number, height: number, record: number): void {
    const { gl, program, cloud } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!program || !cloud || gl.isContextLost()) {
      return;
    }
    gl.useProgram(program);
    gl.bindVertexArray(this.vertices);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const uniform = (name: string) => gl.getUniformLocation(program, name);
    // Given row by row, hence transposed.
    gl.uniformMatrix3fv(uniform("rotation"), true, camera.rotation().flat());
    gl.uniform1f(uniform("distance"), camera.distance);
    const [wide, high] = camera.pixelsPerUnit;
    gl.uniform2f(uniform("scale"), (2 * wide) / width, (2 * high) / height);
    gl.uniform1f(uniform("current"), record);
    gl.uniform1f(uniform("pixels"), gl.drawingBufferWidth / width);
    const trajectories = Math.max(1, cloud.records.length - cloud.space.lines.length / 2);
    if (cloud.joined) {
      gl.uniform1i(uniform("isRound"), 0);
      gl.uniform1f(uniform("opacity"), Math.min(0.35, Math.max(0.03, 30 / trajectories)));
      gl.drawElements(gl.LINES, cloud.space.lines.length, gl.UNSIGNED_INT, 0);
    }
    gl.uniform1i(uniform("isRound"), 1);
    gl.uniform1f(uniform("opacity"), Math.min(0.9, Math.max(0.35, 300 / trajectories)));
    gl.drawArrays(gl.POINTS, 0, cloud.records.length);
  }
}
