import assert from "node:assert/strict";
import { test } from "node:test";

import { amount, sending, type Message } from "../../src/upload/pieces";

const MIB = 2 ** 20;

/** Messages of a file of so many bytes, and the pieces that went with them. */
function upload(bytes: Uint8Array, name = "a.csv", announced = bytes.length) {
  const messages: Message[] = [];
  const pieces: Uint8Array[] = [];
  const failures: string[] = [];
  const file = {
    name,
    size: announced,
    slice: (from: number, to: number) => new Blob([bytes.slice(from, to)]),
  };
  const send = (message: Message, piece?: ArrayBuffer): void => {
    messages.push(message);
    if (piece) pieces.push(new Uint8Array(piece));
  };
  const going = sending(file, "7", send, () => void failures.push("failed"));
  return { messages, pieces, failures, going };
}

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) % 251);
}

const places = (messages: Message[]): number[] =>
  messages.flatMap((message) => (message.do === "piece" ? [message.at] : []));

test("nothing but the name and the size is sent before the kernel has said yes", async () => {
  const { messages } = upload(bytesOf(10));
  await new Promise((later) => setTimeout(later, 20));
  assert.deepEqual(messages, [{ do: "begin", id: "7", name: "a.csv", size: 10 }]);
});

test("pieces are those of the file, in order, and few are on their way", async () => {
  const bytes = bytesOf(6 * MIB + 5);
  const { messages, pieces, going } = upload(bytes);
  await going.taken(0);
  assert.deepEqual(places(messages), [0, MIB, 2 * MIB, 3 * MIB]);
  await going.taken(MIB);
  assert.deepEqual(places(messages).slice(4), [4 * MIB]);
  await Promise.all([going.taken(2 * MIB), going.taken(3 * MIB), going.taken(4 * MIB)]);
  assert.deepEqual(places(messages).slice(5), [5 * MIB, 6 * MIB]);
  assert.deepEqual(Buffer.concat(pieces), Buffer.from(bytes));
  await going.taken(bytes.length);
  assert.equal(messages.length, 8);
});

test("what is stopped sends nothing more, also what was being read", async () => {
  const { messages, failures, going } = upload(bytesOf(2 * MIB));
  const reading = going.taken(0);
  going.stop();
  await reading;
  await going.taken(MIB);
  assert.equal(messages.length, 1);
  assert.deepEqual(failures, []);
});

test("a file that is shorter than it said is said to fail, once", async () => {
  const { messages, failures, going } = upload(bytesOf(MIB), "a.csv", 3 * MIB);
  await going.taken(0);
  await going.taken(MIB);
  assert.deepEqual(places(messages), [0]);
  assert.deepEqual(failures, ["failed"]);
});

test("amounts are rounded up", () => {
  const said: [number, string][] = [
    [0, "0 bytes"],
    [1023, "1023 bytes"],
    [1024, "1 KiB"],
    [1025, "1.1 KiB"],
    [20 * MIB, "20 MiB"],
    [20 * MIB + 1, "21 MiB"],
    [2 ** 31, "2 GiB"],
    [2 ** 31 + 1, "2.1 GiB"],
    [2 ** 52, "4096 TiB"],
  ];
  for (const [bytes, words] of said) assert.equal(amount(bytes), words);
});
