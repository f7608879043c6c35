import { useState } from 'preact/hooks'
import { MB } from '../../../../src/base/units/units.ts'

const MAX_IMAGES = 5
const MAX_IMAGE_BYTES = 5 * MB

/** Images for the next message, from a file, the clipboard or another window. */
export type Attachments = {
  images: readonly string[]
  error: Error | undefined
  remove: (at: number) => void
  clear: () => void
  choose: (event: { currentTarget: HTMLInputElement }) => void
  paste: (event: ClipboardEvent) => void
  drop: (event: DragEvent) => void
}

export function useAttachments(): Attachments {
  const [images, setImages] = useState<readonly string[]>([])
  const [error, setError] = useState<Error>()
  const add = async (files: readonly File[]) => {
    const wrong = wrongWith(files, images.length)
    setError(wrong)
    if (wrong) return
    const read = await Promise.all(files.map(dataUrlOf)).catch((thrown: Error) => void setError(thrown))
    if (read) setImages((before) => [...before, ...read].slice(0, MAX_IMAGES))
  }
  /** Texts are pasted as ever. */
  const take = (event: Event, list: FileList | undefined) => {
    const files = [...(list ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void add(files)
  }
  return {
    images,
    error,
    remove: (at) => setImages(images.toSpliced(at, 1)),
    clear: () => {
      setImages([])
      setError(undefined)
    },
    choose: ({ currentTarget: input }) => {
      void add([...(input.files ?? [])])
      // The same file can be chosen once more.
      input.value = ''
    },
    paste: (event) => take(event, event.clipboardData?.files),
    drop: (event) => take(event, event.dataTransfer?.files),
  }
}

function wrongWith(files: readonly File[], before: number): Error | undefined {
  const other = files.find(({ type }) => !type.startsWith('image/'))
  if (other) return new Error(`${other.name} is not an image.`)
  if (files.some(({ size }) => size > MAX_IMAGE_BYTES)) return new Error('An image is larger than 5 MB.')
  if (files.length + before > MAX_IMAGES) return new Error(`A message can have up to ${MAX_IMAGES} images.`)
  return undefined
}

export function AttachedImages({ of: { images, remove } }: { of: Attachments }) {
  if (images.length === 0) return null
  return (
    <ul class="attached">
      {images.map((image, at) => (
        <li key={at}>
          <img src={image} alt={`Attachment ${at + 1} to send`} />
          <button type="button" class="small" aria-label={`Remove image ${at + 1}`} onClick={() => remove(at)}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  )
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(new Error('The browser could not read the file.'))
    reader.readAsDataURL(file)
  })
}
