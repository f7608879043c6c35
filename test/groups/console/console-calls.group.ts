import { after } from 'node:test'
import { closeShared, keepShared } from '../../console/shared.ts'
import { runProcess } from '../run-process.ts'

keepShared()
after(closeShared)
runProcess('console-calls')
