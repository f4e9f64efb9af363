// For Gradle users: compiles the hand-written and the generated code (bindings/uniffi/build.sh writes it to `made`), and
// publishes the same layout as build.sh.
plugins {
    kotlin("jvm") version "2.4.20"
    `java-library`
    `maven-publish`
}

group = "io.github.deltafold"
version = "0.1.0"

val made: String = providers.gradleProperty("made").getOrElse("build/made")

repositories { mavenCentral() }

dependencies {
    api("net.java.dev.jna:jna:5.13.0")
    compileOnly("org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.8.0")
    testImplementation("org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.8.0")
}

kotlin { sourceSets.main { kotlin.srcDir("$made/generated/kotlin") } }

java { withSourcesJar() }

tasks.jar {
    manifest { attributes("Automatic-Module-Name" to "deltafold") }
    // JNA looks for the library under the name of the platform.
    from("$made/lib") { into(providers.gradleProperty("platform").getOrElse("linux-x86-64")) }
}

// The tests are a program, so that they need no test library.
tasks.register<JavaExec>("check-package") {
    classpath = sourceSets.test.get().runtimeClasspath
    mainClass = "TestsKt"
    workingDir = rootDir.resolve("../../..")
}

publishing {
    publications { create<MavenPublication>("maven") { from(components["java"]) } }
}
