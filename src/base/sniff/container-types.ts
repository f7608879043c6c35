// Containers of audio, images and video: their content decides the type.

/** `RIFF`, a size, and the form type. */
const RIFF_FORMS: Record<string, string> = { WEBP: 'image/webp', WAVE: 'audio/wav', 'AVI ': 'video/x-msvideo' }

const FTYP_BRANDS: { brand: RegExp; type: string }[] = [
  { brand: /^avi[fs]$/, type: 'image/avif' },
  { brand: /^(hei[cxms]|hev[cxms]|mif1|msf1)$/, type: 'image/heic' },
  { brand: /^M4[AB] $/, type: 'audio/mp4' },
  { brand: /^qt {2}$/, type: 'video/quicktime' },
  { brand: /^3g/, type: 'video/3gpp' },
]
const GENERIC_IMAGE_BRANDS = ['mif1', 'msf1']

export function riffType(head: Buffer): string | undefined {
  return RIFF_FORMS[head.toString('latin1', 8, 12)]
}

/** The first packet of the first stream names its codec. */
export function oggType(head: Buffer): string {
  const packet = head.toString('latin1', 28, 36)
  if (packet.startsWith('OpusHead')) return 'audio/opus'
  return packet.startsWith('\x80theora') ? 'video/ogg' : 'audio/ogg'
}

/** MP4 and its relatives: a box named `ftyp` with a main brand and a list of compatible brands. */
export function isoMediaType(head: Buffer): string | undefined {
  if (head.length < 12 || head.toString('latin1', 4, 8) !== 'ftyp') return undefined
  const main = head.toString('latin1', 8, 12)
  const brands = head.toString('latin1', 16, Math.min(head.readUInt32BE(0), 256)).match(/[\s\S]{4}/g) ?? []
  // A generic image brand names only the container; the codec is among the compatible brands.
  const telling = GENERIC_IMAGE_BRANDS.includes(main) ? (brands.find((brand) => /^avi[fs]$/.test(brand)) ?? main) : main
  return FTYP_BRANDS.find(({ brand }) => brand.test(telling))?.type ?? 'video/mp4'
}

/** Matroska and WebM differ by one word in the header. A recording from a browser's microphone has no video track. */
export function ebmlType(head: Buffer): string {
  const header = head.toString('latin1', 0, 64)
  if (header.includes('matroska')) return 'video/x-matroska'
  if (!header.includes('webm')) return 'application/octet-stream'
  const audioOnly = /A_(OPUS|VORBIS)/.test(head.toString('latin1')) && !/V_(VP8|VP9|AV1)/.test(head.toString('latin1'))
  return audioOnly ? 'audio/webm' : 'video/webm'
}
