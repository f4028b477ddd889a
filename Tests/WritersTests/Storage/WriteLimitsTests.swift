import MulticamMedia
import Testing

@testable import MulticamWriters

@Suite("limits of the write queue")
struct WriteLimitsTests {
    private let limits = WriteLimits(total: 8 << 20)

    @Test(
        "a frame must fit in its file's half and in the shared limit; ample space leaves an eighth free",
        arguments: [
            (bytes: 1 << 20, file: 0, folder: 0, room: WriteLimits.Room.ample),
            (bytes: 1 << 20, file: 2 << 20, folder: 2 << 20, room: .ample),
            (bytes: 1 << 20, file: 3 << 20, folder: 3 << 20, room: .little),
            (bytes: (1 << 20) + 1, file: 3 << 20, folder: 3 << 20, room: .none),
            (bytes: 1 << 20, file: 1 << 20, folder: (7 << 20) + 1, room: .none),
            // A frame larger than the limit is still written if the file's queue is empty.
            (bytes: 9 << 20, file: 0, folder: 8 << 20, room: .ample),
        ])
    func room(bytes: Int, file: Int, folder: Int, room: WriteLimits.Room) {
        #expect(limits.room(for: bytes, file: file, folder: folder) == room)
    }

    @Test("audio has a separate limit, independent of frames")
    func audio() {
        #expect(limits.hasRoom(forAudio: 4096, file: WriteLimits.defaultAudio - 4096))
        #expect(!limits.hasRoom(forAudio: 4097, file: WriteLimits.defaultAudio - 4096))
    }

    private static func packet(_ tick: Int64, key: Int64 = 1, bytes: Int = 8) -> EncodedPacket {
        EncodedPacket(
            bytes: SharedBytes(count: bytes), presentation: tick, decode: tick, duration: 1,
            isKey: tick % key == 0)
    }

    @Test(
        "dependent frames are dropped up to a key frame with ample space; independent ones individually"
    )
    func rows() {
        var chained = PacketShedding(needsKeys: true)
        var single = PacketShedding(needsKeys: false)
        // There is no space from tick 5 to 11, little until 25, and then ample space.
        func room(_ tick: Int64) -> WriteLimits.Room {
            (5..<12).contains(tick) ? .none : tick < 25 ? .little : .ample
        }
        for tick in Int64(0)..<40 {
            let packet = Self.packet(tick, key: 10)
            for isChained in [true, false] {
                let claim =
                    isChained
                    ? chained.requiredRoom(isKey: packet.isKey) : single.requiredRoom(isKey: packet.isKey)
                let isTaken =
                    switch (claim, room(tick)) {
                    case (nil, _), (_, .none), (.ample, .little): false
                    default: true
                    }
                if isChained {
                    chained.record(packet, isAccepted: isTaken)
                } else {
                    single.record(packet, isAccepted: isTaken)
                }
            }
        }
        #expect(chained.droppedRanges == [PacketShedding.DroppedRange(from: 5, to: 30, count: 25)])
        #expect(single.droppedRanges == [PacketShedding.DroppedRange(from: 5, to: 12, count: 7)])
    }

    @Test(
        "if a disk hangs for 5 s with four cameras of 20 MB per second, the default memory prevents losses, and less memory loses only the excess",
        arguments: [(total: WriteLimits.defaultTotal, lost: 0), (total: 100_000_000, lost: 454)])
    func hangs(total: Int, lost: Int) {
        // The test simulates frames of 666 666 bytes every 33 ms per camera, and a disk with 240 MB per
        // second that hangs from 2 s to 7 s.
        let limits = WriteLimits(total: total, batchingTime: .zero)
        let memory = WriteMemory(limits)
        let size = 666_666
        let queues = (0..<4).map { _ in WriteQueue<Int>(memory: memory, waitsForRoom: false) }
        var waiting = [0, 0, 0, 0]
        var (left, most, written) = (0, 0, 0)
        for tick in 0..<600 {
            for camera in 0..<4 {
                let isTaken = queues[camera].offer(tick, bytes: size, as: .frame(least: .little))
                if isTaken { waiting[camera] += 1 } else { left += 1 }
            }
            most = max(most, memory.byteCount)
            guard tick < 60 || tick >= 210 else { continue }
            // The disk writes up to twelve frames per tick, from each camera in turn.
            for turn in 0..<12 where waiting[turn % 4] > 0 {
                _ = queues[turn % 4].next()
                waiting[turn % 4] -= 1
                written += 1
            }
        }
        #expect(most <= total)
        #expect(left == lost)
        #expect(written + left == 2400 && memory.byteCount == 0)
    }

    @Test("a refused packet wakes a file's sleeping thread")
    func wakesForRefusal() {
        let limits = WriteLimits(total: 1 << 20, audio: 1000, batchingTime: .seconds(3600))
        let queue = WriteQueue<Int>(memory: WriteMemory(limits), waitsForRoom: false)
        #expect(queue.offer(1, bytes: 900, as: .audio) && !queue.offer(2, bytes: 900, as: .audio))
        #expect(queue.next() == 1)
    }

    @Test("queued data of 1/64 of the memory limit, at most 8 MiB, wakes a file's thread immediately")
    func wakesForBytes() {
        for (total, bytes) in [(1 << 20, 16 << 10), (512 << 20, 8 << 20)] {
            let limits = WriteLimits(total: total, batchingTime: .seconds(3600))
            let queue = WriteQueue<Int>(memory: WriteMemory(limits), waitsForRoom: false)
            #expect(queue.offer(1, bytes: bytes, as: .frame(least: .little)))
            #expect(queue.next() == 1)
        }
    }
}
