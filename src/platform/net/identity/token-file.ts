import { open } from 'node:fs/promises'
import { UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'

const MAX_BYTES = 64 * 1024

/** Reads a token that the platform writes to a file and replaces from time to time. */
export async function readTokenFile(path: string): Promise<string> {
  const text = await contentOf(path).catch(() => '')
  if (text !== '') return text
  throw new UpstreamProblem('auth', "the file with the workload's token cannot be read or is empty")
}

async function contentOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead).trim()
  } finally {
    await file.close()
  }
}
