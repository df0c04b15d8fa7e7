// The data of an event as it is shown over HTTP. Who held a claim is left out: with the number of the
// claim, which anybody may read, it is what an outcome is believed by.
import { isJsonObject, type JsonObject, type JsonValue } from '@action-ledger/domain';

export function shownData(type: string, data: JsonObject): JsonObject {
  if (type === 'ActionClaimed') return withoutWorker(data);
  const { state } = data;
  if (type !== 'ActionArchived' || state === undefined || !isJsonObject(state)) return data;
  const { attempts, ...rest } = state;
  const shown = Array.isArray(attempts) ? { attempts: attempts.map(withoutWorkerIn) } : {};
  return { ...data, state: { ...rest, ...shown } };
}

function withoutWorkerIn(value: JsonValue): JsonValue {
  return isJsonObject(value) ? withoutWorker(value) : value;
}

function withoutWorker({ worker: _worker, ...shown }: JsonObject): JsonObject {
  return shown;
}
