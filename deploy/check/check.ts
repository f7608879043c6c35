// `npm run deploy-check`: the files of a deployment, used by the tools that they are for. A tool that is missing is named, and what
// it would check is skipped. `npm run deploy-check -- chart unit` runs only those.
import { checkChart } from './chart.ts'
import { checkComposition } from './composition.ts'
import { checkImage } from './image.ts'
import { checkNginx } from './nginx.ts'
import { Report } from './report.ts'
import { checkUnit } from './unit.ts'
import { checkWorkflows } from './workflows.ts'

const CHECKS = {
  chart: checkChart,
  workflows: checkWorkflows,
  unit: checkUnit,
  nginx: checkNginx,
  composition: checkComposition,
  image: checkImage,
}

const wanted = process.argv.slice(2)
const report = new Report()
for (const [name, check] of Object.entries(CHECKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) report.skipped(name, 'not asked for')
  else await check(report).catch((error: Error) => report.line(name, false, error.message))
}
process.exitCode = report.end()
