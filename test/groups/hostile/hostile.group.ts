import { runProcess } from '../run-process.ts'

runProcess('hostile')
