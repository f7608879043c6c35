/** 48 bytes: enough for every signature below, and whole base64 groups. */
const HEAD_CHARS = 64

/** `\x00`-escapes are bytes; `.` is any byte. */
const MARKS: [RegExp, string][] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF....WEBP/s, 'image/webp'],
  [/^RIFF....WAVE/s, 'audio/wav'],
  [/^....ftyphei[cx]/s, 'image/heic'],
  [/^....ftypM4A/s, 'audio/m4a'],
  [/^....ftypqt/s, 'video/mov'],
  [/^....ftyp/s, 'video/mp4'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the first byte of the mark
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^%PDF-/, 'application/pdf'],
  [/^(ID3|\xff[\xf2\xf3\xfb])/, 'audio/mp3'],
  [/^\xff[\xf1\xf9]/, 'audio/aac'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^FORM....AIF/s, 'audio/aiff'],
]

/** The type of a base64 file by its first bytes. A file that reads as text is text. */
export function sniffBase64(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARS), 'base64')
  const bytes = head.toString('latin1')
  const mark = MARKS.find(([pattern]) => pattern.test(bytes))
  return mark ? mark[1] : isText(head) ? 'text/plain' : undefined
}

/** The end of the head may cut the last character. */
function isText(head: Buffer): boolean {
  if (head.length === 0) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what tells bytes from text
  return !/[\x00-\x08\x0e-\x1f\ufffd]/.test(head.toString('utf8').replace(/\ufffd+$/, ''))
}
