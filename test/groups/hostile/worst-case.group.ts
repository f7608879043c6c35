import { runProcess } from '../run-process.ts'

runProcess('worst-case')
