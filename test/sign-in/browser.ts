/** Follows redirects and keeps cookies, as a browser does. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** The last answer, and the addresses on the way. `stopAt` is not asked any more. */
  async visit(address: string, stopAt = (_url: string) => false): Promise<Visit> {
    const way = [address]
    for (let hops = 0; hops < 15; hops++) {
      const url = way.at(-1)!
      if (stopAt(url)) return { url, way, status: 0, text: '', headers: new Headers() }
      const response = await this.ask(url)
      const location = response.headers.get('location')
      if (!location)
        return { url, way, status: response.status, text: await response.text(), headers: response.headers }
      await response.body?.cancel()
      way.push(new URL(location, url).href)
    }
    throw new Error('There are too many redirects.')
  }

  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.cookiesOf(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    return response
  }

  /** The cookies of one host, taken to another: both are the same gateway. */
  share(from: string, to: string): void {
    this.#cookies.set(new URL(to).host, this.#cookies.get(new URL(from).host)!)
  }

  cookiesOf(url: string): Map<string, string> {
    const { host } = new URL(url)
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    return jar
  }
}

type Visit = { url: string; way: string[]; status: number; text: string; headers: Headers }

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...flags] = line.split(';')
  const name = pair.slice(0, pair.indexOf('='))
  const isGone = flags.some((flag) => /^\s*(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(flag))
  if (isGone) jar.delete(name)
  else jar.set(name, pair.slice(name.length + 1))
}
