import { expect, it } from '@jest/globals';
import { idArguments } from './id-arguments.ts';

const keyHash = (start: string): string => start.padEnd(43, 'x');

it('hands on ids that look like options as their streams', () => {
  expect(idArguments(['show', '-6HGOKccUo.0'])).toEqual(['show', 'action--6HGOKccUo.0']);
  expect(idArguments([`${keyHash('--a')}.0`])).toEqual([`action-${keyHash('--a')}.0`]);
  expect(idArguments([`${keyHash('-a')}.12`])).toEqual([`action-${keyHash('-a')}.12`]);
});

it('leaves options alone', () => {
  const options = ['--json', '--path', '-h', '-V', '--', '--kill-workers', '-', '5%'];
  expect(idArguments(options)).toEqual(options);
});
