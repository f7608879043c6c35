import type { Tools } from '../feature.ts'
import { declined } from '../http/declined.ts'

/** The output of a task that generates a video. It contains only a link, because base64 would be too large. */
export async function videoOutput(tools: Tools, bytes: Uint8Array) {
  return { video: '', video_resource_url: await tools.keep({ name: 'video.mp4', type: 'video/mp4', bytes }) }
}

/** `1280x720` as an aspect ratio and a number of lines. */
export function orientationOf(dimension: string | null | undefined): { aspectRatio: string; resolution: string } {
  const [, width, height] = /^(\d{3,4})x(\d{3,4})$/.exec(dimension ?? '1280x720') ?? []
  if (!width || !height) throw declined('dimension should be as in 1280x720', 422, 'unknown_dimension')
  const lines = Math.min(Number(width), Number(height))
  return { aspectRatio: Number(width) < Number(height) ? '9:16' : '16:9', resolution: lines > 720 ? '1080p' : '720p' }
}

/** The one of these aspect ratios that is nearest to a width and height. */
export function nearestRatio(width: number, height: number, ratios: readonly string[]): string {
  const distance = (ratio: string) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number)
    return Math.abs(Math.log((width / height) * (down / across)))
  }
  return ratios.toSorted((one, other) => distance(one) - distance(other))[0]!
}
