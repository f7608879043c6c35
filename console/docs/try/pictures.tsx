import { useMemo } from 'preact/hooks'
import { AnswerFile } from './answer-file.tsx'

/** How the base64 of each format begins. SVG is left out: it can have scripts. */
const BEGINNINGS = { iVBORw: 'image/png', '/9j/': 'image/jpeg', UklGR: 'image/webp', R0lGOD: 'image/gif' } as const

/** The images inside of a JSON answer. Links to images are not followed. */
export function Pictures({ text }: { text: string }) {
  const images = useMemo(() => imagesIn(text), [text])
  return images.map((blob, at) => <AnswerFile key={at} blob={blob} title={`image-${at + 1}`} />)
}

function imagesIn(text: string): Blob[] {
  const found: string[] = []
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (name === 'b64_json' && typeof value === 'string') found.push(value)
      return value
    })
  } catch {
    return []
  }
  return found.flatMap(blobOf)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function blobOf(base64: string): Blob[] {
  const type = Object.entries(BEGINNINGS).find(([beginning]) => base64.startsWith(beginning))?.[1]
  return type ? [new Blob([bytesOf(base64)], { type })] : []
}
