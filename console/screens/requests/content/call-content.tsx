import { useEffect, useState } from 'preact/hooks'
import type { RequestContent } from '../../../../src/contract/admin/content.ts'
import type { RequestRecord } from '../../../../src/contract/admin/requests.ts'
import { pathWith } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { pathTo } from '../../../api/client.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { ContentsRefused, Failure, Loading } from '../../../parts/notice.tsx'
import { KeptContent } from './kept-content.tsx'

type Props = { call: RequestRecord }
type ReadProps = Props & { onRead: (content: RequestContent) => void }

/** What was asked and answered, as far as the gateway has kept it and would show it. */
export function CallContent({ call, onRead }: ReadProps) {
  const { content: state } = call
  return (
    <>
      <h3>Content</h3>
      {state === 'kept' && <ReadContent call={call} onRead={onRead} />}
      {state === 'none' && <NothingKept call={call} />}
      {state === 'not_allowed' && <ContentsRefused />}
    </>
  )
}

/** It is requested only when the person asks for it, because the audit log notes it. */
function ReadContent({ call: { id }, onRead }: ReadProps) {
  const [isWanted, setWanted] = useState(false)
  const path = isWanted ? pathTo('/admin/requests/{call_id}/content', { call_id: id }) : undefined
  const { value, error, reload } = useAnswer(path)
  useEffect(() => {
    if (value) onRead(value)
  }, [value, onRead])
  if (!isWanted)
    return (
      <p>
        <button type="button" onClick={() => setWanted(true)}>
          Show content
        </button>{' '}
        <span class="faint">This is recorded in the audit log.</span>
      </p>
    )
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the content" />}
      {value && <KeptContent content={value} />}
    </>
  )
}

function NothingKept({ call: { project, key } }: Props) {
  const projectLink = <a href={pathWith('/projects', { project })}>settings of the project</a>
  const keyLink = <a href={pathWith('/keys', { key })}>the key</a>
  return (
    <p class="faint">
      Not kept. To keep requests and answers, set “Request content” in the{' '}
      {may('projects.read') ? projectLink : 'settings of the project'}, or record the next requests of{' '}
      {may('keys.read') ? keyLink : 'the key'}.
    </p>
  )
}
