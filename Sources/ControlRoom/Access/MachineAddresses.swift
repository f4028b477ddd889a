internal import FoundationEssentials
internal import Glibc

/// How other computers reach this one.
enum MachineAddresses {
    /// Its IPv4 addresses, those of this computer alone left out.
    static var all: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (found, next): ([String], UnsafeMutablePointer<ifaddrs>?) = ([], first)
        while let entry = next {
            defer { next = entry.pointee.ifa_next }
            guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
                entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { place in
                _ = inet_ntop(AF_INET, &place.pointee.sin_addr, &text, socklen_t(INET_ADDRSTRLEN))
            }
            found.append(
                String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return found
    }

    /// Names by which a browser may ask for this machine.
    static let names: Set<String> = {
        let name = ProcessInfo.processInfo.hostName.lowercased()
        let short = name.split(separator: ".").first.map { String($0) } ?? name
        return ["localhost", name, short, short + ".local"]
    }()
}
