import { useState } from 'preact/hooks'
import { Failure } from '../../parts/notice.tsx'
import type { Prompt } from './chat-body.ts'
import { RunButtons } from './run-buttons.tsx'
import { MB } from '../../../src/base/units/units.ts'

type Props = {
  isRunning: boolean
  /** Results of tools may be sent without a message. */
  isOptional: boolean
  onSend: (prompt: Prompt) => void
  onStop: () => void
}

const MAX_IMAGE_BYTES = 5 * MB

/** The next message. Control and Enter send it, too. */
export function Composer({ isRunning, isOptional, onSend, onStop }: Props) {
  const [text, setText] = useState('')
  const [image, setImage] = useState<string>()
  const [error, setError] = useState<Error>()
  const send = () => {
    try {
      onSend({ text, image })
      setText('')
      setImage(undefined)
      setError(undefined)
    } catch (thrown) {
      setError(thrown as Error)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isRunning) send()
  }
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && (isOptional || text !== '') && !isRunning) send()
  }
  return (
    <form class="stack composer" onSubmit={submit}>
      <label>
        Message
        <textarea
          required={!isOptional && image === undefined}
          rows={3}
          value={text}
          onKeyDown={sendByKey}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="filters">
        <ImageField image={image} onImage={setImage} onError={setError} />
        <RunButtons label="Send" isRunning={isRunning} onStop={onStop} />
      </div>
      <Failure error={error} />
    </form>
  )
}

type ImageProps = {
  image: string | undefined
  onImage: (url: string | undefined) => void
  onError: (error: Error | undefined) => void
}

function ImageField({ image, onImage, onError }: ImageProps) {
  const choose = async ({ currentTarget: { files } }: { currentTarget: HTMLInputElement }) => {
    const file = files?.[0]
    onError(undefined)
    if (file && file.size > MAX_IMAGE_BYTES) return onError(new Error('The image is larger than 5 MB.'))
    onImage(file && (await dataUrlOf(file)))
  }
  if (image === undefined)
    return (
      <label>
        Image
        <input type="file" accept="image/*" onChange={(event) => void choose(event)} />
      </label>
    )
  return (
    <>
      <img class="attached" src={image} alt="To be sent with the message" />
      <button type="button" onClick={() => onImage(undefined)}>
        Remove the image
      </button>
    </>
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
