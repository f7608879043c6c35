const WEB = [80, 443]
/** Below are system services. An address for a caller's files or webhooks in that range is on 80 or 443. */
const FIRST_FREE = 1_024

/** Ports that browsers refuse too, because their protocols can be made to interpret an HTTP request as commands. */
const BAD_IN_BROWSERS = [
  1_719, 1_720, 1_723, 2_049, 3_659, 4_045, 4_190, 5_060, 5_061, 6_000, 6_566, 6_665, 6_666, 6_667, 6_668, 6_669, 6_679,
  6_697, 10_080,
]

/** Databases, queues and machine managers: MSSQL, Oracle, Docker, etcd, MySQL, RDP, PostgreSQL, AMQP, VNC, Redis … */
const STORES = [
  1_433, 1_521, 2_375, 2_376, 2_379, 2_380, 3_306, 3_389, 5_432, 5_672, 5_900, 5_984, 6_379, 6_443, 9_042, 9_092, 9_200,
  9_300, 10_250, 11_211, 27_017,
]

const REFUSED = new Set([...BAD_IN_BROWSERS, ...STORES])

export function isWebPort(port: number): boolean {
  return WEB.includes(port) || (port >= FIRST_FREE && !REFUSED.has(port))
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}
