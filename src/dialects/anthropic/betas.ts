/** Betas that the caller requests by header are sent together with those that the body needs. */
export function betaHeader(
  betas: ReadonlySet<string>,
  request: Readonly<Record<string, string>> | null | undefined,
): Record<string, string> {
  const wanted = new Set(betas)
  for (const name in request) {
    if (name.toLowerCase() !== 'anthropic-beta') continue
    for (const beta of request[name]!.split(',')) if (beta.trim()) wanted.add(beta.trim())
  }
  return wanted.size > 0 ? { 'anthropic-beta': [...wanted].join(',') } : {}
}
