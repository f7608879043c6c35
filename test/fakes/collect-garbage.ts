import { Session } from 'node:inspector/promises'

/** A full garbage collection in this process through the inspector, so that no test needs a Node option for it. */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
