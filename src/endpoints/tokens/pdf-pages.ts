/** The typical size of a page with text and images, for files whose page objects are compressed. */
const BYTES_PER_PAGE = 50_000

export function pagesOfPdf(base64: string): number {
  const bytes = Buffer.from(base64, 'base64')
  const named = bytes.toString('latin1').match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length
  return named ?? Math.max(1, Math.ceil(bytes.length / BYTES_PER_PAGE))
}
