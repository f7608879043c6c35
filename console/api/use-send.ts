import { useState } from 'preact/hooks'

/** For a button or a form that changes something: what went wrong, and whether it is on its way. */
export function useSend() {
  const [error, setError] = useState<Error>()
  const [isSending, setSending] = useState(false)
  const send = async (work: () => Promise<unknown>) => {
    setError(undefined)
    setSending(true)
    await work().catch((reason: Error) => setError(reason))
    setSending(false)
  }
  return { error, isSending, send }
}
