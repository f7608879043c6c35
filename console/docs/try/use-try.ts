import { useEffect, useRef, useState } from 'preact/hooks'
import type { Listed } from '../read/document.ts'
import type { Draft } from '../read/draft.ts'
import { type ReceivedAnswer, send } from './send.ts'

export type Trial = {
  outcome: ReceivedAnswer | undefined
  /** Why there is no answer, or why it has no end. */
  failure: string | undefined
  isSending: boolean
  go: (draft: Draft) => void
  stop: () => void
}

/** One request at a time. Leaving the operation ends it. */
export function useTry(listed: Listed): Trial {
  const [outcome, setOutcome] = useState<ReceivedAnswer>()
  const [failure, setFailure] = useState<string>()
  const [isSending, setSending] = useState(false)
  const ending = useRef<AbortController | undefined>(undefined)
  const stop = () => ending.current?.abort()
  useEffect(() => stop, [])
  const go = async (draft: Draft) => {
    ending.current = new AbortController()
    setOutcome(undefined)
    setFailure(undefined)
    setSending(true)
    const sending = { signal: ending.current.signal, onChange: setOutcome }
    await send(listed, draft, sending).catch((error: Error) => setFailure(reasonOf(error)))
    setSending(false)
  }
  return { outcome, failure, isSending, go: (draft) => void go(draft), stop }
}

function reasonOf(error: Error): string {
  if (error.name === 'AbortError') return 'You stopped this request.'
  return 'The gateway did not answer, or its answer broke off. Check that it runs, then try again.'
}
