import type { Tools } from '../feature.ts'
import { ownDownload } from '../http/own-download.ts'
import { videoOutput } from './video.ts'

/** Downloads a generated video from the provider and stores it, because the provider's link does not last for seven days. */
export async function storedVideo(address: string, families: readonly string[], tools: Tools) {
  return await videoOutput(tools, await ownDownload(address, families, tools))
}
