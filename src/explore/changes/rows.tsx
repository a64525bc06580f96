import { useSignal } from "@preact/signals";
import { day } from "../dates.ts";
import { entityNames, kindOf, type Record, sentenceOf, signs, withoutImplied } from "./sentence.ts";

/** One change: its sign, the record, what happened to it, and when. */
export function Row({ record, isDated }: { record: Record; isDated: boolean }) {
  const kind = kindOf(record);
  return (
    <li class="change">
      <span class={`sign ${kind}`} role="img" aria-label={kind}>
        {signs[kind]}
      </span>
      <span class="entity">{entityNames[record.entity]}</span>
      <span class="label">{record.label}</span>
      <span class="text">{sentenceOf(record)}</span>
      {isDated && <time dateTime={record.at}>{day(record.at)}</time>}
    </li>
  );
}

const shownAtOnce = 6;

/**
 * The changes to one host or at one instant. A long list is collapsed, and implied changes are
 * omitted.
 */
export function Rows({ records, isDated = false }: { records: Record[]; isDated?: boolean }) {
  const isOpen = useSignal(false);
  const rows = withoutImplied(records);
  const first = rows.length > shownAtOnce + 2 ? rows.slice(0, shownAtOnce) : rows;
  const rest = rows.slice(first.length);
  const toRow = (record: Record) => <Row key={record.id} record={record} isDated={isDated} />;
  return (
    <>
      <ul class="changes">{first.map(toRow)}</ul>
      {rest.length > 0 && (
        <details
          onToggle={(event) => {
            isOpen.value = event.currentTarget.open;
          }}
        >
          <summary>{rest.length} more</summary>
          {isOpen.value && <ul class="changes">{rest.map(toRow)}</ul>}
        </details>
      )}
    </>
  );
}
