import { useState } from 'preact/hooks'
import type { JobRecord } from '../../../src/contract/admin/jobs.ts'
import { pathTo } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ContentsRefused, Failure, Loading } from '../../parts/notice.tsx'

/** What went in and what came out, for those whom the gateway would show it. */
export function JobContent({ job }: { job: JobRecord }) {
  return (
    <>
      <h3>Input and result</h3>
      {job.can_read_content ? <ReadContent id={job.id} /> : <ContentsRefused />}
    </>
  )
}

/** Contents are requested only when the person asks for them, because the audit log notes it. */
function ReadContent({ id }: { id: string }) {
  const [isWanted, setWanted] = useState(false)
  const path = isWanted ? pathTo('/admin/jobs/{job_id}', { job_id: id }) : undefined
  const { value, error, reload } = useAnswer(path, { content: true })
  return (
    <>
      {!isWanted && (
        <p>
          <button type="button" onClick={() => setWanted(true)}>
            Show input and result
          </button>{' '}
          <span class="faint">This is recorded in the audit log.</span>
        </p>
      )}
      <Failure error={error} onRetry={reload} />
      {isWanted && !value && !error && <Loading what="the contents" />}
      {value && <Content title="Input" value={value.input} />}
      {value && <Content title="Result" value={value.output} />}
    </>
  )
}

function Content({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <h4>{title}</h4>
      {value === null ? (
        <p class="faint">None, or too long to show.</p>
      ) : (
        <CodeBlock label={title.toLowerCase()} text={JSON.stringify(value, null, 2)} />
      )}
    </>
  )
}
