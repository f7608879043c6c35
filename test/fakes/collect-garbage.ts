import { Session } from 'node:inspector/promises'

/** A full collection of garbage in this process, as a debugger asks for it: no test needs an option of Node for it. */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
