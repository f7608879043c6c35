type ClaimLoopOptions<Item> = {
  /** How often to look although nobody said that there is something. */
  pollMs: number
  /** How many more could be started now. */
  room(): number
  claim(room: number): Promise<Item[]>
  start(item: Item): void
  /** Called when claiming fails, once until it succeeds again. */
  failed(error: unknown): void
}

export type ClaimLoop = {
  /** There may be something to claim. */
  wake(): void
  /** There is room again; worth a look only while more was waiting. */
  freed(): void
  /** Comes back when the last claim has been answered and its items were started. */
  stop(): Promise<void>
}

/** Takes work out of the store as long as there is some and there is room for it, one claim at a time. */
export function openClaimLoop<Item>({ pollMs, room, claim, start, failed }: ClaimLoopOptions<Item>): ClaimLoop {
  let hungry = true
  let failing = false
  let stopped = false
  let bell = Promise.withResolvers<void>()
  const poll = setInterval(wake, pollMs)
  const ended = run()
  return { wake, freed, stop }

  async function run() {
    while (!stopped) {
      const places = room()
      if (hungry && places > 0) await fill(places)
      else await rest()
    }
  }

  async function fill(places: number) {
    hungry = false
    try {
      const items = await claim(places)
      failing = false
      items.forEach(start)
      if (items.length > 0) hungry = true
    } catch (error) {
      if (!failing) failed(error)
      failing = true
    }
  }

  async function rest() {
    await bell.promise
    bell = Promise.withResolvers()
  }

  function wake() {
    hungry = true
    bell.resolve()
  }

  function freed() {
    bell.resolve()
  }

  function stop(): Promise<void> {
    stopped = true
    clearInterval(poll)
    bell.resolve()
    return ended
  }
}
