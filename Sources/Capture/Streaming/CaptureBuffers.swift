import Glibc
import Media

/// The descriptor and the mapped buffers of one generation of a camera's stream.
///
/// The camera's thread and each lent frame hold it; the last holder unmaps and closes. A buffer goes back to the driver
/// only while the generation streams.
final class CaptureBuffers: Sendable {
    let device: V4L2Device
    private let mappings: [Mapping]
    private let circulation = ConditionLock(Circulation())

    private struct Circulation {
        var isStreaming = false
        var lent: Set<Int> = []
    }

    /// Memory that the driver writes while it has the buffer, and that this program reads while it has the buffer.
    private struct Mapping: @unchecked Sendable {
        // DQBUF and QBUF pass the buffer between the driver and us; no two own it at once.
        let memory: UnsafeMutableRawBufferPointer
    }

    /// Largest number of buffers that are used; V4L2 knew no more than 32 until Linux 6.8.
    private static let mostBuffers = 32

    /// Requests and maps the buffers.
    ///
    /// - Parameters:
    ///   - device: An open node with its format set.
    ///   - count: Number of buffers to ask for; the driver may make more or less.
    /// - Throws: `DeviceError` with what the driver or mmap(2) refused, such as `busy`; `ENOMEM` when the driver makes
    ///   fewer than two buffers.
    init(of device: consuming V4L2Device, count: Int) throws(DeviceError) {
        let granted = try device.requestBuffers(count)
        guard granted >= 2 else {
            throw DeviceError(device: device.path, operation: "VIDIOC_REQBUFS", errno: ENOMEM)
        }
        mappings = try Self.mapped(device, min(granted, Self.mostBuffers))
        self.device = device
    }

    deinit {
        for mapping in mappings { munmap(mapping.memory.baseAddress, mapping.memory.count) }
    }

    var count: Int { mappings.count }

    /// Takes a buffer that the driver has filled.
    ///
    /// - Returns: `nil` when no buffer is filled yet.
    /// - Throws: `DeviceError` when the driver fails, or names a buffer that it was not given.
    func dequeue() throws(DeviceError) -> V4L2Device.Filled? {
        guard let filled = try device.dequeue() else { return nil }
        let lent = circulation.withLock { $0.lent }
        guard let checked = filled.checked(lengths: mappings.map(\.memory.count), lent: lent) else {
            throw DeviceError(
                device: device.path, operation: "VIDIOC_DQBUF",
                reason: .other("the driver named buffer \(filled.index), which it did not have."))
        }
        return checked
    }

    /// Gives every buffer that is not lent to the driver and starts the stream.
    func startStreaming() throws(DeviceError) {
        let home = circulation.withLock { circulation in
            circulation.isStreaming = true
            return (0..<mappings.count).filter { !circulation.lent.contains($0) }
        }
        do {
            for index in home { try requeue(index) }
            try device.startStreaming()
        } catch {
            stopStreaming()
            throw error
        }
    }

    /// Takes all buffers back. Lent ones stay readable until their frames are released.
    func stopStreaming() {
        circulation.withLock { $0.isStreaming = false }
        do {
            try device.stopStreaming()
        } catch {
            // Only a device that is gone refuses, and it streams no more.
        }
    }

    /// The content of a buffer, valid until it is given back.
    func bytes(of filled: V4L2Device.Filled) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(mappings[filled.index].memory).prefix(filled.byteCount))
    }

    /// Lends a buffer's memory; `nil` when so many are lent that the driver might have none to fill.
    func lend(_ filled: V4L2Device.Filled) -> SharedBytes? {
        let index = filled.index
        let isLent = circulation.withLock { circulation in
            guard circulation.lent.count < mappings.count - 2 else { return false }
            return circulation.lent.insert(index).inserted
        }
        guard isLent, let start = mappings[index].memory.baseAddress else { return nil }
        return SharedBytes(start: start, count: min(filled.byteCount, mappings[index].memory.count)) {
            self.giveBack(index)
        }
    }

    /// Returns a buffer to the driver, if it still streams. Any thread.
    func giveBack(_ index: Int) {
        let isStreaming = circulation.withLock { circulation in
            circulation.lent.remove(index)
            return circulation.isStreaming
        }
        guard isStreaming else { return }
        do {
            try device.queue(buffer: index)
        } catch {
            // The stream ended just now, or the cable was pulled, which the poll of the camera's thread reports.
        }
    }

    private func requeue(_ index: Int) throws(DeviceError) {
        do {
            try device.queue(buffer: index)
        } catch {
            // A frame that was released while the stream restarted has queued it already.
            guard error.reason == .system(errno: EINVAL) else { throw error }
        }
    }

    private static func mapped(_ device: borrowing V4L2Device, _ count: Int) throws(DeviceError) -> [Mapping]
    {
        var mappings: [Mapping] = []
        do {
            for index in 0..<count { mappings.append(Mapping(memory: try device.map(buffer: index))) }
        } catch {
            for mapping in mappings { munmap(mapping.memory.baseAddress, mapping.memory.count) }
            throw error
        }
        return mappings
    }
}
