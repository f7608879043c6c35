// Audio without a container: frame after frame, each with a header of its own. A single header may be a coincidence, and a
// UTF-16 byte-order mark looks like one too, so the next frame has to have one as well.

const MPEG1_KBITS = {
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
}
const MPEG2_KBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const MPEG1_HERTZ = [44_100, 48_000, 32_000]
/** Indexed by the two bits of the version: 2.5, reserved, 2, 1. */
const HERTZ_DIVISOR = [4, 0, 2, 1]

export function audioFrameType(head: Buffer): string | undefined {
  if (twoFrames(head, adtsFrameBytes)) return 'audio/aac'
  if (twoFrames(head, mpegFrameBytes)) return 'audio/mpeg'
  return undefined
}

function twoFrames(head: Buffer, frameBytes: (head: Buffer, at: number) => number | undefined): boolean {
  const first = frameBytes(head, 0)
  return first !== undefined && (head.length < first + 7 || frameBytes(head, first) !== undefined)
}

/** AAC in ADTS: twelve sync bits, layer 0, and the length in the header. */
function adtsFrameBytes(head: Buffer, at: number): number | undefined {
  if (head.length < at + 7 || head[at] !== 0xff || (head[at + 1]! & 0xf6) !== 0xf0) return undefined
  const rate = (head[at + 2]! >> 2) & 15
  const length = ((head[at + 3]! & 3) << 11) | (head[at + 4]! << 3) | (head[at + 5]! >> 5)
  return rate < 13 && length >= 7 ? length : undefined
}

/** MPEG audio, layers II and III. Layer I is not used in practice, and its header equals a byte-order mark. */
function mpegFrameBytes(head: Buffer, at: number): number | undefined {
  if (head.length < at + 4 || head[at] !== 0xff || (head[at + 1]! & 0xe0) !== 0xe0) return undefined
  const version = (head[at + 1]! >> 3) & 3
  const layer = 4 - ((head[at + 1]! >> 1) & 3)
  if (version === 1 || (layer !== 2 && layer !== 3)) return undefined
  const kbits = (version === 3 ? MPEG1_KBITS[layer] : MPEG2_KBITS)[head[at + 2]! >> 4]
  const hertz = (MPEG1_HERTZ[(head[at + 2]! >> 2) & 3] ?? 0) / HERTZ_DIVISOR[version]!
  if (!kbits || !hertz) return undefined
  const factor = layer === 3 && version !== 3 ? 72_000 : 144_000
  return Math.floor((factor * kbits) / hertz) + ((head[at + 2]! >> 1) & 1)
}
