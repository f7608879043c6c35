/** The address of a listener as a person would type it. */
export function listeningUrl(
  { address, port }: { address: string | null; port: number },
  isEncrypted: boolean,
): string {
  const isAnywhere = !address || address === '0.0.0.0' || address === '::'
  const host = isAnywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address
  return `${isEncrypted ? 'https' : 'http'}://${host}:${port}`
}
